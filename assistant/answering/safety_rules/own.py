"""The writer's own danger: said plainly, and hinted at."""

from __future__ import annotations

from assistant.answering.safety_rules.notation import rules

SELF: tuple[str, ...] = rules(
    r"""
# said plainly
(?:kill|killing|killed|murder|off|offing|end|ending|delete|deleting|destroy|unalive|<method>) (?:my ?self
  |me self)\b(?! in the foot| out to dry)
(?:end|ending|ended|take|taking|finish|finishing) (?:my
  |this) (?:own |whole |miserable |pathetic |worthless |stupid |shitty |damn )*life\b(?! (?:back|into|in|to
  |seriously|by|on|story|as a))
(?:end|ending) it all\b
(?:finish|finishing|stop|quit) (?:with )?my (?:own )?life\b|suicide (?:me|myself)\b|not wanting to live\b
(?:suicidal|suicide) thoughts? (?:will not|do not|does not|never|would not|can not) (?:\w+ )?(?:stop|go away
  |leave|end)
suicidal thoughts?(?: what (?:to do|do i do|now))$
<mean> <adverb><toward><adverb>(?:end|ending) (?:it|everything|things|this)(?: all)?(?: anymore| please
  | already)*(?: now| tonight| today| soon| for good| forever| once and for all|$)
<thinking> (?:of |about )?<adverb>ending (?:it|things|everything|this)(?: all)?(?: now| tonight| today| soon
  | for good| lately| a lot| every day| all the time)*(?=$| (?:i|and|but|who|what|please|help|because|so)\b)
(?:i|am|me|was|been|feel|feeling|feels|felt|become|becoming|getting|get|got|bit|little
  |makes? me) <adverb>suicidal(?:ly)?\b(?! (?:friend|person|people|patient))
(?:i have|i am having|i get|i got|having|my|been having|have had|these|keep having|keep getting|with) <adverb>
  (?:(?!no |not |never |any |about |has |had )\w+ ){0,3}(?:suicidal|suicide) (?:thoughts?|ideations?|urges?
  |feelings?|tendenc\w+|plans?|ideas?|impulses?)\b
(?:thoughts?|urges?|plans?|ideas?|dream(?:s|ing)?|thinking|thought|think|considering|considered|contemplating
  |planning|obsessed) (?:\w+ )?(?:(?:of |about |on |with )?(?:\w+ )?(?:suicide|taking my own life
  |taking my life)|(?:of|about) (?:\w+ )?(?:dying|my own death|being dead|not being (?:here|alive)))\b
(?:commit|committing|attempt|attempting|attempted|do|try|trying|want|need|choose|choosing
  |go through with) (?:a |to |my )?(?:suicide|commit suicide)\b
suicide (?:is|seems|feels|looks|sounds) <adverb>(?:like )?(?:the |my |an |a )?(?:\w+ )?(?:only|best|last|easy
  |good|easiest|way|option|answer|solution|choice|better|tempting|comforting|nice|appealing)
my suicide\b
suicidal (?:thoughts?|urges?|feelings?|ideation) (?:(?:will|would|do|does|are|is|keeps?|have|not|again|back
  |never|always|getting|killing|scaring|scares?|haunting|haunts?|leave|leaving|bother\w*|consum\w*|overwhelm\w*
  |torment\w*|following|eating) ){1,4}(?:me|my)\b
(?:want|wants|wanted|wanting|need|deserve|ready|hope|wish|like|longing|prefer|going|might|should|better|rather
  |please let me|let me|would|will|beg|pray|prayed|praying|wait|waiting|about|decided|trying|supposed
  |meant) <adverb>(?:to |i |i could |i would |that i |god |for )*<adverb>(?:die|be dead|was dead|were dead|died
  |drop dead|not be alive|just die|dying)\b(?<!will die)(?<!going to die)(?<!would die)(?<!might die)
  (?<!about to die)(?<!have to die)(?! (?:for|of|from|my hair|it \w+|the (?:shirt|fabric))\b)
i (?:will|am going to|am about to) (?:die|be dead) (?:tonight|today|tomorrow|soon by|by (?:morning|tomorrow)
  |and nobody|this (?:evening|week))
(?:wish|wished|hope|hoping|pray) (?:that )?(?:i|to) <adverb>(?:was|were|am|had|would|could|will|do|did|might
  |be)? ?<adverb>(?:dead|die|died|not (?:alive|exist|born|wake up|be here|be alive|have been born)
  |never (?:\w+ )?(?:wake|woken|woke|born|existed|exist|been born)|stop (?:existing|living|breathing)|cease
  |cease to exist|vanish|not waking|no longer (?:here|alive|exist))
(?:i am|i would be|be|am|me) <adverb>(?:better|happier) <adverb>(?:off )?dead\b
(?:rather|sooner) (?:be dead|die)\b(?! than (?!live|living|go on|keep|face|be|wake|feel|exist|another|continue
  |spend))
do not <adverb>(?:want|wish|care|deserve|need|plan|intend|expect) to <adverb>(?:live|be alive|exist|be living
  |stay alive|keep living|continue living|go on living)\b(?! (?:with|in|at|on|alone|near|next|there|together|by
  |under|off|a|far|out|the|close|abroad|outside|up|beyond my|paycheck)\b(?! (?:this (?:world|pain|body|life|hell
  |misery|darkness|agony|nightmare|way)|pain|my head|a world|the pain|myself)))
do not <adverb>(?:want|wish|deserve) to <adverb>(?:be here|go on|wake up|carry on|keep going|be around
  |be on this earth|be on this planet|be in this world|see tomorrow|see another day|continue)<rest>*$
do not <adverb>(?:want|wish) to <adverb>(?:be here|go on|wake up|be around) (?:anymore|any longer|ever again)\b
(?:want|wish|wanted) to <adverb>(?:not|never) <adverb>(?:exist|wake up|be alive|be here|live|be born
  |have been born)\b
(?:want|wish|would like|need|like|ready) (?:to |i could )?<adverb>(?:stop|quit|cease|be done) (?:to )?
  (?:existing|exist|living|being alive|breathing|with (?:life|living))\b
never (?:to )?wake up(?: again| anymore)?\b
(?:fall asleep|go to sleep|sleep) (?:forever|and (?:never|not) wake)
not wake up (?:tomorrow|anymore|again|in the morning|ever|one day)\b
wish (?:that )?i (?:was|were|had)(?: not| never) (?:been |ever )?(?:born|alive|here anymore|existed)
should (?:never|not) have been born
(?:do not|would not) (?:even )?(?:care|mind|matter|bother me) (?:if|whether|about|that|it if)? ?(?:i )?<adverb>
  (?:live or die|die|died|dying|not waking|if i died|wake up|lived|live|was dead|got killed|do not wake
  |did not wake|never woke)
(?:want|need|wish|hope|asked?|beg|pay|like) (?:that )?(?:for )?(?:someone|somebody|something|anyone|god|a \w+
  |the \w+) (?:to |would |will |could )?(?:just )?(?:kill|kills|killed|shoot|end|take) (?:me|my life)\b
(?:tired|sick|weary|exhausted|done|fed up|had enough|through with|finished with) (?:\w+ )?(?:of|with|from|by)? ?
  (?:living|life|being alive|existing|existence|waking up|breathing|this life|my life|fighting to live
  |staying alive|trying to stay alive)(?! in| with| at| on| as| under| coach| there| alone| paycheck| away
  | sciences| insurance| early| at night| to an alarm| tired| before| so)\b
(?:want|wish|going|plan|planning|ready|wanted) (?:to |i could )<adverb>(?:die|disappear|vanish|fade away|be gone
  |cease)(?: forever| completely| for good| and never (?:come|return|be)| from (?:this|the) (?:world|earth
  |planet|life)| from (?:life|existence|everyone)| without a trace)
(?:can not|do not|could not) <adverb>(?:stop|quit) (?:thinking|fantasi[sz]ing|dreaming|obsessing) (?:about
  |of) (?:dying|death|killing|ending|not (?:being|existing)|being dead|hurting|how to die)
(?:how (?:can|do|should|would|could) i|ways? (?:to|i could)|best way to|easiest way to|painless(?:ly)?(?: way)?
  (?: to)?|how to) <adverb>(?:to )?(?:painlessly )?(?:kill my|die\b(?! (?:of|from|in|well|on))
  |end my (?:own )?life|commit suicide|suicide|end it|unalive|not be alive)
# a plan, a note, a day
(?:my|written|wrote|writing|write|left|leaving|have|finished) (?:my |a |them |everyone |you )*(?:suicide|goodbye
  |final|last|death) (?:note|notes|letter|letters|plan|plans|message|video)s?\b(?! for (?:a|my) (?:class|novel
  |job|boss|colleague|character))
(?:have|got|made|making) (?:a|my|the) plan to (?:die|end|kill|not be|leave this)
(?:picked|set|chosen|chose|have) (?:a|my|the) (?:date|day|time) (?:to die|i will die|for my death|to end)
(?:tonight|today|tomorrow|this) (?:is|will be) (?:the|my) (?:night|last (?:day|night)|day i (?:die|end|go)
  |end for me)\b(?! (?:of|at|in|on|before|as|with))
# recognised only
(?:<mean>|<thinking>|could|almost|just) <adverb><toward><adverb>(?:overdose|overdosing|od|jump off|jumping off
  |jump in front|jumping in front|step in front|stepping in front|slit|slitting|bleed out|bleed to death
  |starve to death on purpose|crash my car|drive off|drive into)\b(?! (?:the|my) (?:diving|driveway))
(?:took|taken|take|taking|swallow|swallowed|swallowing) (?:\w+ )?(?:all|too many|a lot|a bunch|a handful
  |the whole|every) (?:of )?(?:\w+ )*(?:pills|meds|tablets|medication|medicine)\b(?! (?:on time|as|every))
(?:i|just|have) overdosed\b
# self-harm
(?:<mean>|<thinking>|keep|kept|started|starting|been|start|stop|stopped|do|can not stop|not|relapsed and|from
  |resist|the urge to|am|by|i|again) <adverb><toward><adverb><harm> (?:myself|my (?:arms?|wrists?|legs?|thighs?
  |skin|body))\b
(?:i|am|have|been|keep|started|urge|urges|want|relapsed|need|thinking|going|impulse|impulses|thoughts|stop
  |stopped|my|into|feel) <adverb>(?:to |about |of |on |into |with |like |for |doing |by )*self ?(?:harm|harming
  |harmed|injur\w+|mutilat\w+)\b
(?:relapsed|started|begun|back|keep|want|urge|urges|tempted|need) (?:to |on |into |with |in )*(?:cut|cutting)
  (?: again| tonight| so bad| badly| now)?$
(?:i|am|been) (?:\w+ )?cutting again\b(?! (?:carbs|sugar|calories|weight|back|down))
(?:i|and|have|just) (?:hurt|cut|harmed|burned) myself (?:again|today|tonight|last night|on purpose
  |this (?:morning|week)|when)
(?:i|have) (?:cut|self harmed) (?:again|tonight|last night|today)(?: after|$)|(?:tonight|today|last night
  |just) i cut(?: again)?$
until (?:i|it|they) (?:bled|bleed|bleeds)\b|(?:hurt|harm) myself on purpose|deliberately (?:hurt|harm|cut)
(?:want|need|deserve|wish|urge|like) to (?:be hurt|hurt so (?:bad|badly)|feel pain|bleed|see blood
  |punish myself)\b
# other languages of the help lines
\b(?:quiero|quisiera|voy a) (?:morir|morirme|matarme|suicidarme)|no quiero (?:vivir|seguir viviendo)
  |me quiero (?:morir|matar)|pienso en (?:suicidarme|el suicidio)
\bje (?:veux|vais|voudrais) (?:mourir|me tuer|me suicider|en finir)|envie de (?:mourir|me tuer|me suicider)|
  (?:plus|pas) envie de vivre
\bich (?:will|mochte|werde) (?:nur |nicht mehr |einfach )*(?:sterben|leben|mich umbringen|tot sein)
  |mich umbringen|mir das leben nehmen|selbstmordgedanken
\bik wil (?:gewoon |echt |niet meer )*(?:dood|sterven|leven|er niet meer zijn)|zelfmoord plegen
  |mezelf (?:iets aandoen|doden)
"""
)
