"""The writer's own danger, hinted at: no reason to go on, being a burden, goodbyes."""

from __future__ import annotations

from assistant.answering.safety_rules.notation import rule, rules

INDIRECT: tuple[str, ...] = rules(
    r"""
# staying alive as a question or a burden
why (?:am|should|do|would) i (?:be )?(?:even |still )*(?:alive|living|here anymore|exist|bother (?:living
  |existing)|go on|keep going|stay alive|live)\b(?! (?:with|in|at|on|near) )
(?:only|just|barely) (?:reason i am |thing keeping me |still )?(?:alive|living|staying alive|stay alive
  |staying here|hanging on|holding on|still here|stick(?:ing)? around|keeps? me (?:alive|going|here)) (?:for
  |because|is)\b
(?:hurts?|hard|painful|exhausting|too much|unbearable|torture|agony|pain|struggle|effort|strength|chore
  |energy) (?:\w+ ){0,2}(?:to|of|for) (?:\w+ )?(?:stay alive|be alive|being alive|live anymore|exist|existing
  |keep living|go on living|staying alive)\b
(?:keep|keep on|continue|continuing|go on|deal with) (?:doing |with )?(?:this )?(?:life|living|existing
  |being alive)\b(?<!a life)(?! (?:in|with|at|insurance|story|on))
(?:stop|done|finished|tired of|quit|over) (?:with )?(?:being alive|existing|being in this world
  |being on this earth)\b
(?:if|that|like|wish|when|because) (?:i )?(?:did not exist|was never born|had never been born|was not alive
  |were not alive|did not have to exist|was not here anymore|were not here anymore)\b
(?:do not|not) (?:need|want) me (?:in it|in this world|around anymore|alive|here anymore|to be here)\b
i would (?:be )?(?:gone|dead|not be (?:here|alive)) (?:by now|already|if (?:it was not|not) for)|if (?:it was
  |it were) not for (?:\w+ ){1,5}i would (?:be )?(?:gone|dead|not be (?:here|alive)|have (?:ended|done|killed))
not (?:think|believe|expect|guess) (?:i )?(?:will|ill|am going to|would|can) (?:be (?:around|here|alive)|live
  |make it|last|survive) (?:for|at|by|till|until|past|to|through|much|another|next|that|long|the)\b
not know how much longer i (?:can|will|could|am) (?:do|go|take|hold|keep|live|stand|bear|last|be here|be around
  |make it|survive|able|stay)\b(?!.*(?:job|school|course|roommate|diet|boss))
(?:planned|planning|know|plan|knew|thought about|thinking about|decided|figured out|imagine
  |imagining) (?:exactly )?how (?:i would|i will|i am going to|i want to) (?:do it|end it|die)\b(?! (?:without
  |to|there|with))
(?:going|about|want|ready|wanting) to jump$
want out$|want out of (?:this|my) (?:life|world|existence|pain)
(?:my|own) funeral\b(?! (?:insurance|plan|costs|home|expenses))
not (?:\w+ )?(?:see|know|have|find) (?:a|any|another) (?:way|path|road) (?:forward|ahead|through this|to go on
  |on from here|out of this)
no (?:\w+ )?point (?:to|in|of) (?:any of (?:it|this)|anything|it all|it|this|me)(?: anymore| now)*$
not (?:\w+ )?(?:see|imagine|picture) (?:myself|me) (?:\w+ )?(?:here|alive|around|living|existing) (?:next|in|by
  |past|tomorrow|anymore|after)
not (?:see|imagine|picture) (?:myself )?(?:growing|getting|being|living|turning) (?:older|old|past|beyond|until)
(?:life|living|this world|this life|existing) (?:is|was) (?:not|never) (?:\w+ )?(?:for|meant for) me\b
  |i was (?:not|never) (?:meant|supposed|made) (?:to be (?:here|alive|born)|for this (?:world|life))
(?:i am|i was|being|feel like) (?:a |an )?mistake\b.*(?:gone|born|exist|dead|alive|here)|should (?:be
  |just be) (?:gone|dead)\b
(?:hope|hopes|wish|wishes|want|wants|like it if|mind if|happy if|glad if|relieved if|ok if|fine if|not care if
  |do not care if)(?: that)?(?: i| to)? (?:\w+ )?(?:get|got|gets|getting|be|was|were) (?:hit by|run over|killed
  |shot|cancer|sick and die|taken)
(?:happy|happier|glad|relieved|ok|okay|fine|better|peaceful|grateful|not mind|not care|not matter
  |nice) if i (?:\w+ )?(?:did not|do not|never)(?:wake|woke|come back|exist|make it|survive)
(?:if|when|after|once|before) i (?:\w+ )?(?:jumped|died tonight|ended (?:it|things|everything)|killed
  |disappeared forever|was to die|were to die)\b
(?:who|what|would|will)(?: \w+){0,6} (?:my|our) (?:dog|cat|kids|children|family|parents|mother|son|daughter)
  (?: \w+){0,2} if i (?:\w+ )?(?:died|die|was gone|were gone|am gone|was not here|killed)
not (?:strong enough|have it in me|able) to (?:\w+ )?(?:keep (?:fighting|going|living)|go on|fight|live|survive
  |carry on)(?: this| it| anymore)?
not have it in me (?:anymore )?to (?:go on|keep|live|fight)
(?:it is|it feels|this is|game) over for me\b(?!.*(?:season|team|tournament|game|job))
(?:nobody|nothing|not even|no therapy|no doctor)(?: \w+){0,2} can (?:\w+ )?(?:help|save|fix) me(?: anymore
  | now)?\b
(?:tonight|today|tomorrow|this) (?:will|would|is going to) be my last\b(?! (?:day (?:at|of|in)|shift|exam|lesson
  |class|session|chance|question))
(?:my|the) last (?:post|message|note|text|letter|words|goodbye)(?: ever| to you| here|$)|(?:my
  |as my) last post\b(?! (?:about|on))
(?:death|dying|ending it|suicide|not existing) (?:is|as|seems|feels|sounds|looks|would be) (?:\w+ ){0,3}
  (?:escape|relief|answer|solution|way|option|peace|peaceful|release|better|easier|comforting|inviting|appealing
  |freedom)
(?:follow|be with|join|go to) (?:him|her|them|my \w+) (?:in|to|into) (?:death|heaven|the grave|the afterlife)
  |life ended (?:the day|when).*(?:follow|join)
(?:googl\w+|search\w*|look\w* (?:up|for)|read\w* about|research\w*|find\w*) (?:\w+ ){0,2}(?:ways? to die
  |how to die|methods|ways? to (?:end|kill))
(?:gone|disappear|sleep|rest) (?:forever|for good|permanently)$|be gone forever
(?:pray|prayed|praying|beg|begging|begged) (?:\w+ ){0,3}(?:to die|to take me|for death|not to wake|that i (?:die
  |do not wake))
(?:want|wants|ready) (?:my life|life|this life|everything|all of it) to (?:be over|end|stop|finish)
(?:do|did|doing) something (?:\w+ )?(?:bad|terrible|awful|stupid|dangerous) to myself
(?:to|not) (?:be|stay|keep) alive (?:anymore|any longer|another|for (?:much|another))
(?:another|one more) (?:day|minute|hour|night|second|week) (?:of|on|in) (?:this (?:life|pain|earth|world|hell)
  |being alive|living)
(?:being alive|living|existing) (?:another|one more|any longer|is (?:torture|agony|hell|exhausting|unbearable
  |too much|painful))
(?:nobody|who|anyone|anybody|they) (?:would|will|to) (?:\w+ ){0,3}(?:show up|come|notice|cry|care|miss me
  |bother) if i (?:\w+ )?(?:died|die|was gone|were gone|disappeared)
(?:reasons?|motivation|strength) to (?:stay|live|go on|keep going|be here|exist|wake up|keep living)$
(?:wish|wishing|hope|hoping|pray|praying|wait|waiting) for (?:an |a |the |my )?(?:accident|end|illness|death
  |heart attack|cancer|it to (?:end|be over))\b(?! (?:of|in) )
not promise (?:\w+ )?i will (?:be (?:here|alive|around|safe)|stay alive|not (?:hurt|do))
not trust myself (?:to be alone|alone|tonight|right now|anymore|with|around)\b(?! (?:money|food|sweets|decisions
  |directions))
(?:nothing|nobody|no reason)(?: \w+){0,2} keep(?:s|ing) me (?:here|alive|going|in this world)
(?:hope|wish|want) (?:\w+ ){0,2}(?:never|not) (?:\w+ )?open (?:\w+ )?again
let (?:it|me|this|everything) (?:all )?(?:end|go|be over|die)$
(?:keep|stop|want to|continue|wish i could stop) (?:keep )?breathing\b
(?:pain|it|suffering|this) (?:will|would|can) only (?:stop|end|be over) (?:when|if) i\b
(?:they|everyone|everybody|family|kids|parents|people|you) (?:would|will) (?:all |just )*be better off$
(?:hurting|cutting|harming) myself (?:is|makes|helps|feels|calms)\b
(?:i am|i was|i feel|am) giving in (?:to (?:it|the)|now|tonight|$)|(?:is|are) winning and i
(?:happy|glad|relieved|okay|fine|wrong|better|not mind) (?:\w+ ){0,5}if i (?:did not|do not|never) (?:wake|woke
  |exist|make it)
(?:i am|am) (?:a |an )?(?:mistake|waste|error)\b.*(?:gone|dead|not be here|exist)
# no reason, no point, no way out
(?:no|not (?:\w+ )?(?:a|any|one|single)|without|lost (?:my|any|all)|see (?:a|any|the)|have (?:a|any)|good
  |is there (?:a|any)|give me (?:a|one)|find (?:a|any)|out of) (?:\w+ )?(?:reasons?|points?|purpose|sense|will
  |desire|wish|motivation) (?:left )?(?:for me )?(?:to|in|for|of|why i should|of me) (?:even )?(?:keep |me )?
  (?:<on>|try anymore|trying anymore|anything anymore)\b(?! (?:with|at|in|on) (?:this|the|my) (?:job|course
  |relationship|school|project|class|company|marriage|team|diet))
(?:no|lost the|losing the|lost my|losing my) will to live
(?:nothing|not (?:much|anything)|no(?:body| one)) (?:is )?(?:left )?(?:to|worth) (?:live|living|stay(?:ing)?
  |be here) ?(?:for)?\b
nothing (?:is )?left for me\b|nothing left to (?:live|fight) for
(?:what is|what was|is there|see|no|not see|there is not|there is no) (?:the |a |any |even a |even the )?
  (?:\w+ )?point (?:of|in|to) <adverb>(?:<on>|life|living|my life|me (?:being|living|existing|staying)|it all
  |staying alive|all of this|all this|anything|everything)(?: anymore)?(?! at)\b
(?:what is|see|is|there is) (?:the|any|no|a|even a) point(?: in)?(?: even)?(?: of)?(?: it)?(?: all)? anymore$
(?:life|it|my life|living|existing|being alive|existence) (?:is|feels|seems|does not feel|does not seem
  |has become|just)? ?(?:just )?(?:not|no longer|never|hardly|like it is not)? ?(?:\w+ )?(?:not worth|worth
  |worthless|pointless|meaningless)(?: it)?(?: living| anymore| to live| for me)
(?:my life|life) (?:is|has become|feels) <adverb>(?:not worth|worthless|over|pointless|meaningless|hopeless
  |finished|ruined forever|unbearable)(?! it to| than| if you)\b
(?:no|only|one|not (?:\w+ )?(?:a|any|another)|there is not (?:a|any)) (?:\w+ )?way out\b(?! of (?:debt|the
  |my (?:contract|lease)|here|town))
(?:no|not see (?:a|any)|do not have (?:a|any)|see no|can not (?:see|imagine) (?:a|any|my)
  |without a) future (?:for me|ahead|anymore|at all|for myself|left)|(?:i have|i see|there is) no future\b
  (?! (?:in|with|at|as|for the|for this|for that) )|no future$
(?:can not|do not|could not) (?:\w+ )?(?:see|imagine|picture) (?:myself|me) (?:\w+ )?(?:living|alive|being alive
  |existing|making it|being here|around|growing old|past)
(?:no|lost all|lost|given up|gave up|abandoned|giving up|run out of|out of|beyond|any|past) (?:all )?(?:of )?
  (?:my )?hope(?: left)?(?: for me| for my (?:life|future)| anymore| at all| in life| things| it will)?$
(?:there is|i have|i see|have|feel|is) (?:absolutely )?(?:no|zero) hope(?! of (?:winning|passing|getting)
  | for (?:my|the) (?:team|car|phone))
i (?:am|feel|have been feeling|am feeling|have felt|felt|have become) <adverb>hopeless(?! (?:at|with|romantic
  |when it comes|about (?:my|this|the) (?:\w+ )?(?:exam|test|math|maths|cooking|team|job|dating|diet|homework
  |project|garden)|in the kitchen))\b
(?:everything|it all|it|all|this|future|life) (?:is|feels|seems|looks|just feels) <adverb>(?:hopeless|pointless)
  (?: anymore| now| to me)?$
(?:nothing|it|things|this) (?:will|is) (?:never |not |ever )?(?:going to )?(?:ever |never )?(?:get|getting
  |be) (?:any )?better\b(?: for me| no matter what| anymore)
it will never (?:get better|end|stop|change)|nothing will ever (?:get better|change|help)
  |never going to get better|will never be happy|never get better$
# can not go on
can not <adverb>(?:go on|keep going|carry on|keep living|keep fighting|hold on|hang on|live|continue
  |face another|face tomorrow|bear it|endure|survive|keep (?:doing|pretending|fighting))(?: this| like this
  | living| with (?:life|this pain|myself)| day| another day| it| much| longer| much longer| anymore| any longer
  | alive| on)*$
can not <adverb>(?:go on|keep going|keep living|live like this|bear|live with (?:myself|this(?= (?:pain|anymore
  |guilt|shame)|$))|live anymore|take (?:living|life|being alive|the pain|another day)|do life|stand (?:living
  |being alive|life|existing))\b(?! (?:with|in|at|on) (?:the|my|this) (?:job|roommate|diet|class|course|phone))
can not <adverb>(?:do|take|handle|stand|deal with|bear|cope with) (?:this|it|life|everything|any of this
  |the pain|all this|all of this|this pain)(?: all)? ?(?:shit|crap|pain|hurt|life)? ?(?:anymore|any longer
  |much longer|alone anymore)(?: i| please| help| sorry| and i| it hurts)?\b(?! (?:with|at|in|to) )
(?:i )?(?:do not|can not) have (?:the |any )?(?:strength|energy|will|fight) (?:left )?(?:to (?:go on|keep|live
  |fight|continue|carry on)|left in me|left$)
(?:i am|i have|i|ready to|want to|going to|feel like|so) <adverb>(?:give up|giving up|given up|gave up)
  (?: on)? (?:life|living|everything|myself|it all|my life|being alive)\b
i want to give up(?: now| completely| for good| on it all)?$
(?:i am|am) <adverb>done (?:fighting|trying|living|with (?:life|living|everything|it all|this world|this life
  |being alive|myself)|being here|pretending to be ok)\b
(?:tired|exhausted|sick) of (?:fighting|everything|it all|trying|hurting|being (?:here|in pain|me)|this world
  |feeling this way)(?: anymore| every day| all the time| and i| so)?$
(?:suicide|dying|death|ending it) is (?:all|the only thing) i (?:can |ever )?think (?:about|of)
# a burden, better off without me
(?:i am|i was|being|i feel like|feel like|i have become|am|nothing but|only|such|feel|i will always be|been
  |become) <adverb>(?:such )?(?:a |an )?(?:\w+ )?burden(?! on (?:my|the|our) (?:team|group|department|colleagues
  |company|project|budget|economy))(?! of proof| if i ask for a day)\b
burden (?:to|on|for) (?:everyone|everybody|all|my (?:family|friends|parents|kids|husband|wife|mother|father
  |loved ones|partner|children)|the people|those|others|them|you all|society|anyone)(?: anymore)?$
(?:would|will|is|are|may|might|could|d|be) (?:\w+ ){0,3}<better>(?: off)?(?: \w+){0,4} <absent>
<absent> (?:\w+ ){0,4}(?:would|will|could|can) (?:\w+ ){0,2}(?:<better>|be (?:at peace|free|relieved)|move on
  |celebrate|notice|miss|care|cry)
(?:nobody|nobody at all|not a soul|anyone|who|no person|not one person|they|anybody) (?:would|will|is going to)
  (?: not)? (?:even )?(?:\w+ )?(?:miss(?: me)?|notice|care|cry|mourn|be sad)(?: me)? (?:if i|when i|that i|me$
  |once i|i was gone|were)
(?:nobody|no person|nobody at all) (?:would|will) (?:even )?(?:miss me|notice i|notice me gone|mourn me
  |cry for me|come to my funeral)
(?:if i|when i) (?:\w+ )?(?:died|disappeared|die|vanished|was gone|were gone|am gone|was dead
  |were dead) (?:\w+ ){0,3}(?:nobody|who would|would anyone|anyone|it would not|no difference|everyone)
(?:would|does|will) (?:anyone|anybody|someone) (?:even )?(?:\w+ )?(?:miss me|notice|care|be sad
  |cry) if i (?:\w+ )?(?:died|die|disappeared|was|were|am|killed|stopped|vanished|left|ended|never)
(?:taking up|waste of) (?:space|oxygen|air)\b(?! in)
(?:world|everyone|family|they|kids|people|friends|parents|you|everybody) (?:\w+ )?(?:does not|do not|did not
  |would not) need me (?:here|anymore|alive|around)
(?:do not|not) deserve (?:to (?:live|be alive|exist|be here|breathe)|life|to keep living)
# goodbyes
^(?:so )?(?:goodbye|bye) (?:everyone|everybody|world|forever|all|to (?:everyone|all|you all|the world|my life)
  |my (?:friends|family|love|loves)|cruel world|mother|father|and (?:thank you for everything
  |thanks for everything|sorry)|friends|life)\b(?!.*(?:see you|talk |later|tomorrow|next (?:week|time)|have a
  |thanks|good night))
(?:this|it) is (?:my |a |the |our )?(?:final |last |goodbye)+ ?(?:goodbye|message|note|letter|post|text
  |time (?:i|you|we)|words|farewell)?(?: from me| forever| to you| everyone| then)?$
(?:came|wanted|here|want|come|just|calling|writing|need|time|chance|started|been|ready) (?:to |for )?<adverb>
  (?:say|saying|said) (?:my |a |one |our |all )?(?:last |final |proper |quiet )*goodbye(?: forever
  | to (?:everyone|everybody|you all|all of you|my (?:friends|family|loved ones|kids|parents|life)|the world
  |life|people i love)| everyone| now| before i (?:go|leave|do))*$
(?:said|saying|say) (?:my |all my |all the |my final |my last )(?:goodbye)\b(?! to (?:my|the) (?:\w+ )?(?:team
  |colleagues|coworkers|class|dog|cat|grand\w+|teacher|school|job|old|house))
goodbye forever|final goodbye|one last goodbye|last goodbye
(?:giving|given|give|gave|gifting) (?:\w+ )?away (?:all )?(?:of )?(?:my|most of my|everything i own|her|his
  |their) (?:\w+ )??(?:things|stuff|belongings|possessions|pets|dog|cat|everything|all i own)\b(?!.*(?:charity
  |moving|declutter|thrift|donat|garage))
(?:i|we) (?:will|am|may|might|would) not (?:going to )?(?:be|see|bother|trouble|bug|live|make it|wake|last) ?
  (?:\w+ )?(?:here|around|you|anyone|anybody|alive|through|people|everyone|up|to see)? (?:for )?(?:much longer
  |anymore|tomorrow|long|after (?:tonight|today)|by (?:tomorrow|then|morning|the weekend|next)|again
  |next (?:week|month|year)|the night|tonight|to see)\b(?! (?:with|because|since|at|in the office))
  (?<!not be here next week)(?<!not be here tomorrow)
i (?:will|might|may) not be (?:here|around|alive) tomorrow$
(?:soon|tomorrow|tonight|by (?:tomorrow|then|morning)|if) i (?:will|am|would|may) (?:\w+ )?(?:be )?(?:gone|dead
  |no longer be here|not be here anymore|be at peace)(?! (?:on|to|for|from) )
i (?:will|am going to|am) (?:\w+ )?(?:be )?gone (?:soon|by (?:tomorrow|then|morning|tonight)|forever|tonight
  |for good|and (?:nobody|everyone|they|you))
(?:you|they|nobody|everyone|people) will (?:never|not|no longer) (?:have to )?(?:see|hear from|worry about
  |deal with|put up with|be bothered by) (?:me|about me)(?: anymore| again| ever)*\b(?! at the)
by the time (?:you|anyone|they|somebody|someone) (?:read|reads|see|sees|find|finds|get|gets) this
(?:when|after|once) i am (?:gone|dead|no longer here|not here anymore)\b(?! (?:for|on|to|from|at|away|out
  |this week))
(?:take care of|look after|be good to|watch over|keep an eye on) (?:\w+ ){0,4}(?:when|after|once|since|because
  |now that) i (?:am|will be|will not be) (?:gone|not here|dead|around|here)
(?:please )?(?:tell|let) (?:my|them|him|her|everyone|the)(?: \w+){0,2} (?:know )?(?:that )?(?:i )?(?:loved
  |love them all|am sorry|was sorry|it was not|it is not)(?: \w+){0,3}(?: fault)?$
(?:sorry|forgive me|apologi[sz]e) for (?:what i (?:am|will|have) (?:about|going|to|do)|everything i (?:have done
  |put)|the mess i will|leaving (?:you|you all|like this|this world)|being alive|existing|giving up)
(?:put|putting|got|getting) (?:all )?my affairs in order|(?:made|making|written|writing|updated) (?:my
  |a) (?:peace with (?:dying|death|it|my decision|leaving)|will so)
(?:at|found|made|finally have|feel at|have) (?:my )?peace (?:with|about) (?:it|dying|death|leaving|ending
  |my decision|going)(?: now)?
(?:soon|tonight|tomorrow) (?:it|this|everything|the pain|my pain|all of this|it all) (?:will|is going to|can
  |is) (?:\w+ )?(?:all )?(?:be )?(?:over|end|stop|gone|finished)(?! (?:with|for the|at))
(?:it|everything|the pain|my pain|my suffering|the suffering|this pain) (?:will|would|is going to
  |can) (?:all |finally |soon )*(?:be over|stop|end) (?:soon|tonight|tomorrow|finally|for good|forever
  |if i (?:died|was|were|just))
(?:it|this|everything) will all be over
(?:the|my|this|all the|all this) (?:pain|suffering) (?:will|can) (?:stop|end|be over)$
(?:want|need|wish|make|making|beg|please) (?:for )?(?:the|my|this|all the|all this|all of this|it all|it
  |everything) ?(?:pain|suffering|hurt|hurting|noise in my head|torment|misery)? (?:to |would )?
  (?:just |finally )?(?:stop|end|be over|go away forever|all end|all stop)(?: now| forever| for good| already
  | please| so (?:bad|badly)| all)*$
# not to be there
(?:want|wish|wanted|like|would|if|hope|prefer) (?:i )?(?:could )?(?:to )?<adverb>(?:disappear|vanish|fade away
  |cease to exist|not exist|stop existing|evaporate|be nothing|be erased)(?: now| completely| forever| please
  | somewhere| anymore| from everything)*$
(?:want|wish|ready|going|time|like|longing|need) (?:it is )?(?:i could |to |for me to )<adverb>(?:go be with
  |be with|join|see|go to|meet|follow) (?:my )?(?:\w+ ){0,3}(?:in heaven|on the other side|in the afterlife
  |up there|in death|again in heaven|into the grave|god now)
(?:ready|time|want|going) (?:for me )?to (?:leave|depart|exit|check out of|be done with) (?:this|the) (?:world
  |life|earth|planet)\b|leave this (?:world|life|earth)\b|check out (?:for good|permanently)
(?:wish|hope|pray|hoping|want|waiting for|if) (?:that )?(?:a |an |some |the )?(?:car|bus|truck|train|plane
  |something|cancer|illness|heart attack|accident|meteor|god|lightning) (?:would |will |could |to )?(?:\w+ )?
  (?:hit|hits|kill|kills|killed|take|takes|took|happen|happens|end|get|run)(?: to)? (?:me|my life|over me)
  (?: out| away| over)?\b(?! (?:to|home|with))
(?:imagine|imagining|picture|think about|thinking about|dream about|planning|plan) (?:\w+ )?(?:my (?:own )?death
  |(?:my )?(?:own )?funeral)\b(?! (?:of|for|insurance|costs))
(?:sleep|asleep) (?:\w+ )?(?:and )?(?:never|not) (?:\w+ )?wake
(?:do not|did not) (?:\w+ )?(?:expect|plan|think i will|intend) (?:to )?(?:be (?:alive|here|around)|live
  |make it) (?:to|past|until|till|by|next|for|much|see|through|long)
i (?:am |will )?(?:not|never) (?:going to )?(?:make|making) it (?:through|to) (?:the |this |to)?(?:night
  |tomorrow|morning|week|weekend|christmas|my next birthday|next year)
(?:there is|i have) (?:only )?one (?:thing left|way|option|solution) (?:left )?(?:for me|to (?:do|stop|end)
  |left$)
not (?:feel |feeling |be )?(?:very )?safe (?:\w+ )?(?:with|from|around|by|alone with) myself|unsafe (?:with
  |around|by) myself|(?:scared|afraid|worried|terrified) (?:of )?(?:what )?i (?:might|will|may|could|am going to
  |would) (?:do|hurt|harm|end|kill)(?: something)? ?(?:to )?(?:myself|it|something (?:bad|stupid)|my life)
(?:scared|afraid|terrified) of (?:what i (?:might|will|may|could) do|myself(?: right now| tonight)?$
  |being alone with myself)
(?:do|did|doing) something (?:stupid|bad|drastic|permanent|terrible|i can not take back) (?:to myself|tonight
  |soon|if)
(?:want|need|trying|going) to (?:do something (?:permanent|drastic|final))|permanent solution
(?:dark|bad|scary|ugly|those|these|the|harmful|dangerous|my) (?:thoughts|urges|voices) (?:\w+ ){0,3}(?:tell
  |tells|telling|to|about|of) (?:me to )?(?:end|die|hurt|kill|ending|dying|hurting|cut|harm|not being alive
  |not wanting)
voices? (?:\w+ ){0,3}(?:tell|tells|telling|told|say|says|saying|want|wants) (?:me )?(?:to |that i should )?
  (?:end|die|hurt|kill|do it|harm|cut|jump)
"""
)

STRONG = rules(
    r"""
\bhopeless\b|no hope\b
sorry for everything|i am sorry (?:everyone|mother|father|to everyone)|please forgive me|forgive me\b
i (?:am|was) (?:just )?done$|i give up|want to give up|giving up
tired of (?:everything|it all|fighting|trying|pretending)|so tired of|can not (?:cope|do it|go on|take it)
no (?:way out|point|reason|future|escape)|pointless|what is the point|nothing (?:matters|left|helps)
i love you (?:all|guys|mother|father)|thank you (?:all )?for everything|(?:my )?time (?:for me )?to go$
  |remember me|miss me
want (?:it|everything|this) to (?:stop|end|be over)|make it stop|want out$
"""
)
"""Hints that mean little alone; two points each, see `WEAK_LIMIT`."""

FAINT = rules(
    r"""
worthless|useless|a failure|hate myself|hate my life|disgust(?:ed|ing)? (?:with|by) myself|a waste
nobody (?:cares|loves me|wants me|understands|would)|all alone|completely alone|nobody to talk
\b(?:numb|empty|trapped|broken|unbearable|in so much pain|exhausted|drowning)\b
tonight|this is it|the end|goodbye|one last|for the last time
"""
)
"""The same, one point each."""

WEAK_LIMIT = 4
"""Points from which hints mean danger together."""

BARE = rule(
    r"""
^(?:i )?(?:please |help |feel |feeling |so |am |having |very )*(?:suicide|suicidal|suicidal thoughts?
  |suicidal feelings?|suicidal ideation|self harm|self harming|dying|end it|end my life|die|death wish
  |urge to (?:cut|die))(?: help| please| now| me| again| tonight)*$
"""
)
"""A message that is hardly more than the word itself."""

RELAPSE = rule(
    r"""
(?:thoughts|urges|feelings|feeling|it|ideas|darkness|that) (?:\w+ )?(?:are|is|have|has|keep|keeps|came|come
  |coming|start\w*) (?:\w+ )?(?:back|returned|returning|coming back|come back|again|creeping back|stronger)|
  (?:feel|feeling|thinking|there|like) (?:\w+ ){0,3}(?:that way|like that|the same|this way|about it
  |back there) (?:again|now|lately|today|tonight)|(?:want|going|ready|tempted) to (?:do it|try|try it
  |finish it) (?:again|now|tonight|for real|properly)
"""
)
"""It is back: then what was told as past counts."""
