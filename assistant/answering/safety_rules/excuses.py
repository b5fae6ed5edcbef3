"""What makes a finding none: idioms, denials, the past, fiction, questions about people in general."""

from __future__ import annotations

from assistant.answering.safety_rules.notation import rule, rules

IDIOMS: tuple[str, ...] = rules(
    r"""
(?:kill(?:ed|ing)?|hurt(?:ing)?) myself (?:laughing|with laughter|lol|at work|at the gym|studying|training
  |working|practicing|cleaning|trying to (?:get|finish|meet|make|pay|please|lose|impress|fit|look|keep up)
  |to (?:get|finish|meet|make|pay|pass|please|look|keep up)|over (?:this|a|the|my)|on (?:the|a|that|this|my)
  |falling|tripping|slipping|climbing|playing|running|lifting|skiing|exercising|skating|skateboarding|dancing
  |moving|jogging|hiking|biking|cycling|in (?:the|a|an) (?:gym|garden|game|match|race|accident|fall|crash
  |kitchen))
(?:hurt|burned|burnt|cut|harmed|burn|injured) myself (?:\w+ )?(?:playing|running|at|lifting|in|falling
  |by accident|accidentally|while|skiing|on the|training|cooking|shaving|with the (?:oven|kettle|stove)|chopping
  |on (?:a|my) |some slack|off|short|out|again (?:playing|cooking|shaving)|yesterday (?:playing|cooking|shaving
  |at))
(?:accidentally|almost|nearly) (?:\w+ )?(?:hurt|cut|burned|burnt|burn|injured) myself
accidentally (?:\w+ )?(?:killed|kill) myself
laugh\w*(?: \w+){0,6} (?:die|died|kill myself)
cut(?:ting)? myself (?:some slack|off|a (?:slice|piece|break)|shaving|cooking|short|open cooking)
burn(?:ing|ed|t)? myself out
(?:die|died|dying|dead) (?:of|from|with) (?:laughter|laughing|embarrassment|boredom|curiosity|cringe|shame|heat
  |hunger|thirst|happiness|excitement|cuteness|jealousy|joy|the heat|old age|natural causes|awkwardness
  |second hand embarrassment)
(?:so )?(?:embarrass\w*|awkward|cringe\w*|mortif\w+|asham\w+)(?: \w+){0,4} (?:i )?(?:wanted?|could have|could
  |wish\w*|wanting) (?:to |i (?:could|was|were) )?(?:just )?(?:die|died|dead|disappear|vanish|(?:have )?died)
(?:wanted?|could have) (?:to )?(?:just )?(?:die|died|disappear|vanish|crawl under a rock) (?:\w+ ){0,6}
  (?:embarrass\w*|cringe|awkward|in front of|on stage|when (?:my pants|i (?:tripped|slipped|fell|called|farted
  |spilled|waved|sent|dropped|forgot)|he saw|she saw|the teacher|they laughed|everyone (?:laughed|turned|looked)
  |my (?:voice|mother|dad|father|phone|stomach)))
die laughing|died laughing|dying laughing|laugh(?:ing|ed)? (?:my\w* \w+ off|to death)
(?:to|would|could) (?:die|kill) for\b
(?:could|would) (?:just |seriously |really )?(?:kill|murder) (?:for|my|him|her|them|whoever|the|that|a)\b
  (?! myself)
dying (?:to|for) (?!die|end|be dead|kill)\w+
(?:bored|scared|worried|freezing|frozen|tickled|sick|starved|work\w*|love\w*|thrilled|sweating
  |stress\w*) (?:\w+ )?to death
dead (?:tired|serious|beat|line|lines|battery|phone|end job|end|on my feet|asleep|inside lol|weight|last|wrong
  |sexy|set)
(?:my |the )?(?:phone|battery|laptop|car|plant|plants|internet|computer|engine|wifi|fish|flowers?|lawn
  |controller) (?:\w+ ){0,2}(?:died|die|dies|dying|is dead|dead)
drop dead gorgeous|over my dead body|kill two birds|dress(?:ed)? to kill|curiosity killed|if looks could kill
  |killer (?:workout|deal|app|look|whale)
shoot(?:ing)? myself in the foot|shot myself in the foot|beat(?:ing)? (?:myself|me) up over|kick(?:ing)? myself
  |hang(?:ing)? out|hang in there|hang(?:ing)? myself out
how (?:do|can|to) (?:i )?make (?:it|this) stop
suicide (?:squad|burn|burns|drill|drills|sprint|sprints|mission|door|doors|pact movie|bomb\w*|attack\w*|vest
  |girls|silence|king|by cop statistics)
(?:political|career|social|commercial|economic|professional|financial|academic|electoral) suicide
commit suicide (?:politically|socially|professionally)
drown(?:ing)? (?:myself )?in (?:work|homework|emails?|paperwork|debt|laundry|chores|assignments|deadlines
  |studies|ice cream|books|a (?:hobby|book)|meetings|netflix)
(?:die|dying) on (?:this|that) hill|(?:die|dying) in (?:the |a |this |my )?(?:game|dark souls|minecraft
  |video game|fortnite|level|round|match|raid)|(?:kept|keep) dying (?:in|at|on) (?:the|this|that|level)
(?:rather|sooner) (?:die|be dead) than (?!live|living|go on|keep|face|be|wake|feel|exist|another|continue
  |spend another|do this)\w+
(?:exam|exams|homework|monday|mondays|traffic|boss|meeting|meetings|math|maths|hangover|heat|workout|leg day|gym
  |practice|commute|essay|thesis|finals|class|spreadsheet|deadline|cardio|burpees|test|tests|alarm|job|course
  |assignment|song|show|movie|teacher|lecture|shift)(?: \w+){0,5} (?:mak(?:es|ing|e)|made) me (?:\w+ )?
  (?:want to |wanna )?(?:die|kill myself|jump off|scream|disappear)
(?:die|kill myself|disappear|dead) (?:after|during|before|every time|whenever
  |when) (?:that |this |the |my |i (?:hear|see|do|have) )?(?:\w+ )?(?:workout|leg day|exam|exams|finals|gym
  |practice|meeting|run|marathon|class|burpees|alarm|shift|presentation|speech|midterm|test|quiz|song|ad
  |commercial)
kill myself if (?:i (?:have to|hear|see|get)|this|one more|my team|they play|that song|another)\b(?! (?:live
  |go on|stay|wake|keep|be alive))
end (?:of )?(?:my|the|this) (?:\w+ )?(?:subscription|lease|contract|relationship|marriage|shift|semester|day
  |week|year|call|conversation|friendship|project|book|chapter)
end(?:ing)? (?:it|things|this)(?: all)? (?:with|between|on good|amicably|badly)\b
(?:disappear|vanish) (?:into|for a (?:while|week|weekend|few|bit|day|month|vacation)|on (?:a )?(?:vacation
  |holiday)|to (?:a|an|the|some) (?:\w+ )?(?:beach|island|cabin|mountains|woods|forest|country)|under (?:a
  |my) blanket)
(?:can not|could not) (?:\w+ )?(?:do|take|handle|stand|deal with|bear) (?:this|it|these|that) (?:\w+ )?(?:job
  |commute|diet|heat|noise|weather|homework|class|course|traffic|winter|cold|rain|exam|workload|shift|math|boss
  |project|roommate|meeting|schedule|smell|music|allergies|waiting|suspense)
(?:shopping|spending|diet|running|gaming|baking|workout) suicide|text(?:ing)? you to death
(?:lost|losing) (?:all )?hope (?:in|of|for|that) (?:humanity|politics|the (?:team|season|government|economy
  |media)|my (?:team|car|phone|garden|hair)|the \w+ team|finding (?:a )?(?:parking|job|keys))
(?:wish|want) (?:i (?:was|were)|to be) dead (?:lol )?(?:when|every time) (?:my alarm|the alarm|i have to get up
  |monday)
(?:do not|did not) want to (?:wake up|get up|be here) (?:early|at \w+|for (?:work|school|class)|this early
  |so early|on mondays?|before)
(?:mother|mum|father|boss|wife|teacher|coach|sister|roommate|parents|girlfriend|husband|boyfriend|dad|doctor
  |they|he|she|everyone) (?:is|are) (?:\w+ )?going to (?:kill|murder) me (?:when|if|for|because|lol|over|once
  |after|i)
(?:kill|killed|killing) (?:the|this|some|a|these|that|any|all|those) (?:\w+ )?(?:process|processes|switch|mood
  |vibe|weeds?|ants?|bugs?|germs?|bacteria|mosquito\w*|boss|zomb\w+|dragons?|monsters?|lights?|time|engine
  |spiders?|party|joke|cells?|task|server|session|program)
(?:killing (?:it|me)|kill (?:time|me now))\b
"""
)
"""Sayings taken out before the patterns look."""

SUBJECTS = rule(
    r"""
\b(?:(?P<self>i|me|myself|am)|(?P<other>he|she|they|who|whose|someone|somebody|people|person|persons|patients?
  |anyone|everyone|others|him|her|them|you|your))\b
"""
)
"""Who a sentence speaks of; the last one before a finding is its subject."""

NOUN_SUBJECTS = rule(
    r"""
\b(?:teens?|teenagers?|adults?|men|women|man|woman|<adult>|<young>)\b
"""
)
"""Other people; the subject of a finding when the sentence has none of `SUBJECTS` before it."""

THIRD_PERSON = rule(
    r"""
^(?:wants|needs|deserves|wishes|thinks|feels|has|plans|hopes)\b
"""
)
"""A finding that begins so is not about the writer, but for "part of me"."""

FICTION = rule(
    r"""
\b(?:movie|film|novel|book|story|song|lyrics?|character|characters|episode|season|video game|game|play|poem
  |fiction|fictional|script|screenplay|essay|hamlet|romeo|juliet|documentary|podcast|article|paper|thesis
  |protagonist|villain|series|anime|manga|sims|minecraft|netflix)\b
"""
)
"""Stories, songs, games, homework."""

PAST = rule(
    r"""
(?:\b(?:\w+) (?:years?|decades?) ago\b|\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|some
  |eleven|twelve|few) months ago\b|\byears (?:ago|back|before|since|clean)\b|\bmonths clean\b|\bdays clean\b
  |\bclean for\b|\bwhen i was (?:\w+ )?(?:\d+|a|an|young|younger|little|in|at|growing|your|about|around|eleven
  |twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)\b|\b(?:in|since|back in) (?:19
  |20)\d\d\b|\bused to\b|\bin the past\b|\bback then\b|\bin (?:my|high|middle|primary|grade) (?:teens|youth
  |twenties|school|childhood|past|early twenties|early teens|20s|teenage years)\b|\bin college\b
  |\bas an? (?:child|kid|teen|teenager|student|young|adolescent)\b|\bpreviously\b|\bformerly\b|\blast year\b
  |\bonce (?:tried|attempted|wanted|thought|planned|considered|felt|was)\b|\bno longer\b|\bnot anymore\b
  |\brecovered\b|\bin recovery\b|\bi (?:got|am) (?:better(?! off)|past that)\b|\bwas suicidal\b|\bsurvived\b
  |\bsurvivor\b|\bstopped .{0,40}\bago\b|\bhave not .{0,40}\b(?:in|for|since)\b.{0,20}\b(?:years?|months?|20\d\d
  |then)\b|\blong ago\b|\ba long time ago\b|\bhistory of\b|\bat that time\b|\bin those days\b|\bonce upon\b
  |\bdecades back\b|\bas teenagers?\b)
"""
)
"""Told as over."""

PRESENT = rule(
    r"""
\b(?:again|still|today|tonight|lately|recently|these days|coming back|came back|come back|is back|are back
  |right now|this (?:morning|week|evening)|currently|keep|keeps|now|every day|every night|anymore|once more
  |returning|returned|tomorrow|last night|yesterday|all day|since then i)\b
"""
)
"""Not over after all."""

WELL_NOW = rule(
    r"""
\b(?:now|today|these days|currently|and|but) (?:and |but )?(?:now |today )?(?:i am|life is|i feel|things are
  |i have|he is|she is|they are|we are|i help|i work|i want|i|it is) (?:\w+ ){0,3}(?:fine|ok|okay|better|well
  |good|happy|happier|recovered|stable|safe|grateful|glad|great|helping|help|volunteer\w*|work|proud
  |a (?:counsell?or|nurse|father|mother|therapist|family)|sober|alive|thriving|healthy|healed|doing|love|enjoy
  |different|curious|wonder\w*)\b(?: \w+)? ?(?:now|today|these days|again)?|\bcan i still\b|\bstill (?:become
  |get|work|be|have|apply|join|donate)\b|\bnot anymore\b|\bno longer\b|\bstill here\b|\bnow (?:i )?(?:work|help
  |volunteer)\b|\bglad i am still\b|\bi still (?:remember|wonder|carry|have (?:the )?scars|miss|see (?:a
  |my) (?:therapist|doctor))\b
"""
)
"""What looks like PRESENT, but says that it is over."""

NEGATION = rule(
    r"""
^(?:.* )?((?:(?<!why should )(?<!why would )(?<!why do i )(?<!why should i )not|(?:never|no|without|nor|deny
  |denies|neither|isnt|nobody is|far from))(?: \w+){0,4}) $
"""
)
"""Held against the words before a finding; the group is the last denial."""

NO_NEGATION = rule(
    r"""
\b(?:i|stop|know|sure|why|trust|help|resist|only|just that|because|but|and|if|how|what|reason|other|anything
  |nothing|point|so|cope|sleep|bear|think of anything|than|deny|lying|joking|kidding|decide|anymore|feel|see
  |choice|option|control|care|matter|can|afraid|scared|way|want (?:help|advice|anyone)|when|then|i want|i am
  |hide|ignore|fight|shake|longer|wait)\b
"""
)
"""Between a denial and a finding: then it denies something else."""

ASKS_ABOUT = rule(
    r"""
^(?:(?:so|and|but|ok|okay|hi|hello|hey|please|also|well|i (?:want|would like|need) to know|i wonder|wondering
  |curious|can you|could you|tell me|do you know|question|quick question|in general) )*(?:what|how|why|when
  |where|who|which|(?:is|are|was|do|does|did|can|could|should|would|will)(?! not\b)|explain|define|about
  |describe|list|information|info|statistics|facts|difference|symptoms|warning signs|signs|helping|supporting)\b
"""
)
"""How a question begins."""
