"""Lists that many rules share."""

from __future__ import annotations

from assistant.answering.safety_rules.notation import rule

FILLERS = rule(
    r"""
\b(?:just|really|so(?! that)|very|actually|honestly|truly|even|simply|literally|seriously|fucking|freaking
  |effing|completely|totally|utterly|absolutely|sometimes|often|constantly|already|probably|finally|secretly
  |genuinely|desperately|badly|kind of|kinda|sort of|fully|deeply|quite|basically|definitely|lowkey|highkey
  |frankly|legit|goddamn|damn|bloody|extremely|incredibly|pretty|perhaps|suddenly|like(?= (?:really|so|totally
  |seriously)))\s
"""
)
"""Words left out before the patterns look, so that these need not allow for them."""

_WRITTEN = {
    "adverb": r"""
(?:(?:all|always|only|still|maybe|again|now|right now) )*
""",
    "mean": r"""
(?:want|wants|wanted|wanting|wanna|need|needed|wish i could|going|plan|planning|plans|planned|ready|about
  |decided|trying|try|tried|intend|tempted|might as well|would rather|will|should|ought|have got|have|longing
  |hoping|prepared|could|may|might|must|begging|urge|urges|would|dying|desperate|able)
""",
    "toward": r"""
(?:to |of |about |on |like |as well |well )?
""",
    "thinking": r"""
(?:thinking|thought|thoughts|think|thinks|ideas?|images?|dreams?|dreaming|fantasi[sz]\w*|considering|considered
  |contemplating|contemplated|planning|imagining|visions?|talk|obsess\w*|urges?|feel like|feeling like)
""",
    "harm": r"""
(?:hurt|hurting|harm|harming|cut|cutting|burn|burning|injure|injuring)
""",
    "method": r"""
(?:hang|hanging|shoot|shooting|drown|drowning|stab|stabbing|poison|poisoning|strangle|suffocate)
""",
    "adult": r"""
(?:friend|friends|brother|sister|mother|father|parent|boyfriend|girlfriend|husband|wife|partner|spouse|fiance
  |fiancee|ex|roommate|flatmate|housemate|coworker|colleague|boss|neighbou?r|cousin|aunt|uncle|grandma
  |grandmother|grandpa|grandfather|classmate|someone i (?:know|love)|somebody i (?:know|love)|guy i know
  |girl i know|stepfather|stepmother|teammate|crush|teacher|client|employee|loved one|this person|he|she|they
  |buddy)
""",
    "young": r"""
(?:son|daughter|child|children|kid|kids|teen|teenager|boy|girl|niece|nephew|students?|sons|daughters|stepson
  |stepdaughter|grandson|granddaughter|grandchild|little brother|little sister|younger brother|younger sister
  |kid brother|kid sister|baby|toddler|\d+ ?(?:year|yr)s? ?old|pupil|foster \w+)
""",
    "thirdself": r"""
(?:himself|herself|themselves|themself|themselfs|theirself|hisself)
""",
    "their": r"""
(?:his|her|their)
""",
    "loved": r"""
(?:my|our|a|this|the)(?: \w+){0,2}
""",
    "abuser": r"""
(?:he|she|they|(?:my|our|her|his|the)(?: \w+)? (?:husband|wife|boyfriend|girlfriend|partner|ex|father|mother
  |stepfather|stepmother|uncle|aunt|brother|sister|son|daughter|roommate|boss|coach|teacher|cousin|grandfather
  |parents|family|neighbou?r|landlord|fiance|spouse|caregiver|carer|guardian|man|guy))
""",
    "better": r"""
(?:better(?: off)?|happier|relieved|easier|fine|ok|okay|safer|glad)
""",
    "absent": r"""
(?:without me|if i (?:was|were|am|just)? ?(?:\w+ )?(?:gone|dead|not (?:here|around|alive|there)|disappeared|died
  |vanished|never (?:born|existed)|never been born|left this world)|when i am (?:gone|dead)|with me (?:gone
  |dead)|once i am (?:gone|dead)|after i am (?:gone|dead))
""",
    "on": r"""
(?:live|living|go on|going on|be alive|being alive|stay alive|staying alive|exist|existing|be here|being here
  |keep going|carry on|carrying on|continue|continuing|wake up|waking up|get up anymore|keep living
  |keep fighting|stick around|stay|hang on|be around|be on this (?:earth|planet)|be in this world)
""",
    "rest": r"""
(?: anymore| any longer| like this| right now| today| tonight| tomorrow| now| again| for me| at all| please
  | help| in this \w+| on this (?:earth|planet)| with this pain| ever| or anything| honestly)
""",
    "says": r"""
(?:(?:is|are|was|keeps?|kept|has been|have been|just|been|started|seems?|might be|may be|could be) )*(?:saying
  |says|said|say|talks?|talking|talked|texted|texting|text|told me|told (?:him|her|us|them)|tells me|telling me
  |telling|threatens?|threatening|threatened|wrote|writing|posted|posting|messaged|mentions?|mentioning
  |mentioned|admitted|wants?|want|wanting|going|plans?|planning|tries|trying|tried|thinking|thinks|considering
  |about|wishes|feels?|feeling|ready|attempting|attempted|decided|hinting|hinted|joking|confessed|screaming
  |crying)
""",
}

FRAGMENTS: dict[str, str] = {name: rule(block) for name, block in _WRITTEN.items()}
