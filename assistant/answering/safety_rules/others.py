"""Somebody else's danger, and danger from somebody else."""

from __future__ import annotations

from assistant.answering.safety_rules.notation import rules

OTHERS: tuple[str, ...] = rules(
    r"""
# {who} is a person the writer knows; see `safety.py`
{who} (?:\w+ ){0,4}?<says> (?:\w+ ){0,6}?(?:ending it(?: all)?|ending things|life is (?:not|no longer) worth
  |not worth living|(?:wants?|wanted) (?:it|everything) to (?:end|be over|stop)|giving up on life
  |not be here anymore)
{who} (?:\w+ ){0,4}?<says> (?:\w+ ){0,8}?(?:kill(?:ing)? <thirdself>|hurt(?:ing)? <thirdself>|harm
  (?:ing)? <thirdself>|cut(?:ting)? <thirdself>|<method> <thirdself>|end(?:ing)? <their> (?:own )?life|tak(?:e
  |ing) <their> (?:own )?life|end(?:ing)? it(?: all)?(?: tonight| now| today)?$|suicide|suicidal|(?<!about )
  (?<!going )to die\b|dying$|(?:be|was|were|better off) dead|not want to (?:live|be alive|be here|exist|go on
  |wake up)|no reason to (?:live|go on|keep)|goodbye forever|self ?harm(?:ing)?|jump(?:ing)? off|overdos(?:e
  |ing)|everyone (?:\w+ ){0,3}better off without|never been born|not exist|nothing to live for|unalive
  |disappear forever|not wake up|give up on life|finish(?:ing)? (?:with )?<their> life|can not go on|(?:can not
  |not) (?:do life|live) anymore|(?:it|everything) (?:to be )?over$|(?:tonight|this
  |today) is <their> last (?:night|day)|better off without (?:him|her|them))
(?:better off|happier|easier) without (?:him|her|them) around|(?:be|are|were) better off without (?:her|him)\b
  (?! in (?:this|the|our) )
{who} (?:\w+ ){0,6}?(?:gave|given|giving|gives) (?:away (?:all )?<their> (?:\w+ )?(?:things|stuff|dog|cat|pets
  |belongings|possessions|tools|records|guitar|savings)|all <their> (?:things|stuff|belongings
  |possessions) away)
{who} (?:\w+ ){0,12}?(?:wrote|texted|posted|sent|said) (?:\w+ )?(?:sorry for everything|this is goodbye
  |goodbye forever|goodbye and)
{who} (?:\w+ ){0,3}?(?:is|are|seems|might be|may be|could be|became|has become|feels|gets|looks|sounds|has been
  |have been) <adverb>(?:feeling )?(?:actively |acutely |very )?suicidal
{who} (?:\w+ ){0,3}?(?:has|have|having|had|getting|gets) (?:\w+ ){0,3}?(?:suicidal (?:thoughts|ideation|urges
  |feelings)|thoughts of (?:suicide|self harm|dying|ending)|a suicide plan|suicide plans?|a plan to (?:die|end
  |kill))
{who} (?:\w+ ){0,3}?(?:is|are|has been|have been|keeps|started) self ?harming
{who} (?:\w+ ){0,3}?(?:is|are|has been|have been|keeps|started|was) (?:cutting|hurting|harming|burning|injuring
  |killing) (?:<thirdself>|again|<their> (?:own )?(?:arms?|wrists?|legs?|body))
{who} (?:\w+ ){0,3}?(?:cuts|hurts|harms|burns|injures|self harms|self injures|hurting|harming) (?:<thirdself>
  |<their> (?:arms?|wrists?|legs?)|$)
{who} (?:\w+ ){0,4}?(?:sent|posted|wrote|left|texted|messaged|said|saying|giving|gave
  |written) (?:me |us |everyone |online |her |his |out |a |all )*(?:goodbye|suicide note|final (?:message
  |goodbye|letter)|last (?:message|letter)|away (?:all )?<their>)
{who} (?:\w+ ){0,3}?(?:has |have |just )?(?:overdosed|tried to (?:kill <thirdself>|end <their> life|die)
  |took (?:\w+ )?(?:all|too many|a lot of|a bunch of) (?:\w+ )*(?:pills|meds|tablets)|attempted suicide)
found (?:a |the |my (?:\w+ ){1,2}|his |her )?(?:suicide|goodbye) (?:note|letter)|(?:my|our) (?:\w+ ){1,3}
  (?:suicide note|suicide plan)
{who} (?:\w+ ){0,3}?(?:is|has) (?:locked|barricaded) <thirdself>
{who} (?:\w+ ){0,3}?(?:is|seems) (?:in (?:immediate |serious )?danger|a danger to <thirdself>|not safe)
(?:someone|somebody|a man|a woman|a person|a guy|a girl|a stranger) (?:\w+ ){0,3}?(?:is|just|online
  |here) (?:\w+ )?(?:about to|trying to|going to|threatening to|standing|said they (?:want|are going) to
  |says (?:he|she|they) (?:is|are|wants?|will) (?:going )?(?:to )?) ?(?:\w+ )?(?:jump|kill <thirdself>
  |end <their> life|die)
(?:worried|afraid|scared|terrified) (?:that )?{who} (?:\w+ ){0,3}?(?:will|might|may|could|is going to
  |would) (?:\w+ )?(?:kill|hurt|harm|end|do something (?:to <thirdself>|stupid|drastic)
  |take <their> (?:own )?life|commit suicide|attempt)
(?:want|going|plan|planning|urge|urges|need|about) (?:\w+ )?(?:to )?(?:kill|murder|stab|shoot|hurt) (?:someone
  |somebody|people|everyone|him|her|them|others|other people|my (?:\w+ )?(?:wife|husband|family|parents
  |boyfriend|girlfriend|ex|mother|father|coworkers|classmates|partner))\b(?! with kindness| feelings| s feelings
  | lol)
(?:thoughts|thinking|fantasi\w+|afraid|scared) (?:of|about|that) (?:i (?:will|might|may|am going to) )?(?:kill
  |killing|murdering|stabbing|shooting|hurting|harming|hurt|harm) (?:someone|somebody|people|him|her|them|others
  |my (?:\w+ )?(?:wife|husband|family|parents|partner))\b(?! feelings)
"""
)
"""`{who}` is a person, see `safety.py`."""

CHILD_ABUSE: tuple[str, ...] = rules(
    r"""
<young> (?:\w+ ){0,4}?(?:hits|beats|shakes|hurts|slaps|chokes|burns) (?:him|her|them) (?:when|if|every|until|so
  |and)\b
<young>.{0,40}?\b(?:he|she) (?:hits|beats|hurts|touches|abuses) them\b
<young> (?:\w+ ){0,8}?(?:he|she|father|mother|husband|wife|boyfriend|girlfriend|stepfather|partner|ex) (?:hits
  |beats|hurts|touches|abuses|is hitting|is hurting|is beating|is abusing) (?:them|him|her|us)\b
(?<!son )(?<!daughter )(?<!kid )(?<!kids )(?<!toddler )(?<!baby )(?:hits?|hitting|beats?|beating|hurts?|hurting
  |touches|touching|molest\w*|abus(?:es|ed|ing)|chok(?:es|ed|ing)|burns?|burning|shakes?|shaking|starv(?:es|ing)
  |rap(?:es|ed|ing)|neglect(?:s|ing)|threatens?|slaps?|punches|kicks) (?:\w+ )?(?:my|our|the|her|his|their
  |a) (?:\w+ )?<young>\b(?! (?:feelings|at (?:chess|cards|mario)|in the game|school|toys?|food|allowance|teeth))
<young> (?:\w+ ){0,4}?(?:is|are|being|was|gets|get|been|getting) (?:\w+ )?(?:being |getting )?(?:abused|beaten
  |molested|raped|neglected|starved|trafficked|groomed|(?:hit|hurt|touched) by (?:his|her|their|my|a teacher
  |the teacher|an adult)|kidnapped)
(?:afraid|scared|worried|urge|urges|thoughts|want|going|terrified) (?:that )?(?:i )?(?:will|might|may|to|of
  |about|am going to|could)? ?(?:\w+ )?(?:hurt|hurting|harm|harming|shake|shaking|kill|killing) (?:my|the|our
  |a) (?:\w+ )?<young>\b(?! (?:feelings|self esteem|chances|development|confidence|education|trust|teeth|by ))
(?:child|kid|boy|girl|baby|toddler) (?:\w+ )?(?:next door|in my class|in danger|left alone for days
  |screaming every night)\b
(?:my|our) <young> (?:\w+ ){0,3}?(?:is missing|ran away|has run away|is in danger|told me (?:\w+ )+touch(?:es|ed
  |ing))
"""
)

ABUSE: tuple[str, ...] = rules(
    r"""
(?:\w+ )?(?:father|mother|stepfather|stepmother|husband|wife|boyfriend|girlfriend|partner|ex|he|she
  |they) (?:\w+ ){0,6}?(?:hits|beats|kicks|punches|chokes|hurts|threatens) us\b
(?:threatening|threatens|threatened) to (?:\w+ )?(?:hurt|kill|beat|shoot|stab|rape|harm|hit) (?:me|us)\b
my (?:\w+ )?(?:uncle|father|stepfather|stepbrother|brother|cousin|grandfather|teacher|coach|neighbor|mother|aunt
  |stepmother|priest|boss|tutor|doctor) (?:\w+ )?(?:touches|touched|molests|molested|gropes|groped|kisses) me\b
  (?! (?:on the (?:shoulder|arm|cheek|forehead)|deeply))
<abuser> (?:\w+ ){0,3}?(?:pushes|pushed|shoves|shoved|throws|threw|slams|slammed|pins|pinned) me (?:down|against
  |around|into|onto|on|over|off|across|out|to the)\b
<abuser> (?:(?!never |not |no )\w+ ){0,3}?(?:hits|hit|beats|beat|chokes|choked|strangles|strangled|kicks|kicked
  |punches|punched|slaps|slapped|hurts|rapes|raped|molests|molested|abuses|attacks|attacked|stalks|stabbed|burns
  |burned|shoves|shoved|beating|hitting|choking|hurting|abusing|stalking|bites|bit|whips) (?:on )?me\b(?! (?:at
  |in (?:chess|cards|tennis|the (?:race|game))|to (?:it|the|work)|out|off|up|when (?:he|she|they) (?:ignore
  |forget|do not|leave|say)|feelings|with (?:a )?(?:text|email|question|bill|news)|as|that|so much emotionally
  |deeply|because))
(?:he|she|they|husband|wife|boyfriend|girlfriend|partner|ex|father|mother|stepfather|stepmother|brother|uncle
  |son|someone|somebody|man|guy) (?:\w+ ){0,2}?(?:says?|said|threatens?|threatened|threatening|swore|promised
  |told me|keeps saying|is threatening) (?:\w+ ){0,4}?(?:kill|hurt|beat|shoot|stab|rape|murder|hit|harm
  |find) (?:me|us)\b
(?:he|husband|boyfriend|partner|ex|wife|stepfather) (?:is|was) (?:going|trying|coming) to (?:kill|hurt|beat
  |shoot|stab|murder) (?:me|us)\b(?! (?:when|if|lol|over|with|for))
(?:will|going to|might|may|could|would) (?:kill|beat|murder|shoot|stab|seriously hurt) (?:me|us) (?:if
  |when) i (?:leave|try to leave|tell|told|say|go|call)
(?:not (?:feel |feeling )?safe|unsafe) (?:at home|here|with (?:him|her|them|my \w+)|in my (?:own )?(?:home|house
  |relationship|marriage)|around (?:him|her|them|my \w+)|going home|where i live)
(?:i am|we are|i feel) (?!not )(?:\w+ )?in (?:real |serious |immediate |great )?danger\b(?! of (?:failing|losing
  |missing|being late|getting fired))
(?:afraid|scared|terrified|frightened|fear) (?:\w+ )?(?:for|of losing) my (?:life|safety)|fear for my (?:life
  |safety)
(?:afraid|scared|terrified|frightened) (?:\w+ )?(?:of|to go home (?:to|because)|to be around|to be alone with
  |to leave) (?:my (?:\w+ )?(?:husband|wife|boyfriend|girlfriend|partner|ex|father|stepfather|stepmother|uncle
  |brother)\b|him\b|what he|her because)(?! (?:death|dying|leaving|judging|finding out|reaction|opinion|getting
  |being|losing|not))
(?:scared|afraid|terrified) (?:to|of) (?:go|be|come|stay|going|being|coming) (?:back )?(?:home|at home)\b
  (?! (?:alone|in the dark|because of the dark))
(?:will not|does not|never|refuses to|do not) (?:\w+ )?(?:let|lets|letting|allow) me (?:to )?(?:leave
  (?: the (?:house|room|apartment|flat))?|go outside|go out of the house|see (?:my|any) (?:family|friends
  |doctor)|have my (?:phone|passport|papers|money)|out of the (?:house|room)|eat)\b
(?:locked|locks|locking|traps|tied|chained) me (?:in|up|inside|down|out of the house)\b(?! a (?:contract|loan
  |lease)| (?:psych|hospital|the (?:ward|hospital)))
(?:holding|keeps|keeping|held) me (?:hostage|prisoner|against my will|captive|locked|inside the)\b
(?:i am|i have been|i was just|i just got|i got|i was|we are|am|currently|just been) (?:\w+ )?
  (?:being |getting |been )?(?:abused|beaten up|beaten|stalked|trafficked|threatened with|raped
  |sexually assaulted|assaulted|molested|strangled|held against my will|blackmailed with|groomed|attacked)
  (?! by (?:a virus|bots|trolls|the app|my cat))\b
(?:he|she|someone|somebody|they|my \w+) (?:\w+ ){0,2}?(?:is|keeps|has been|are) (?:\w+ )?(?:following me (?:home
  |everywhere|right now|around)|stalking me|abusing me|outside my (?:house|door|window)|breaking (?:in|down)
  |trying to (?:break in|get in|force|rape|kill|hurt)|forcing me|violent (?:to|with|toward|towards) me
  |coming after me|going to find me)
<abuser> (?:\w+ )?(?:does|did|do|doing) (?:\w+ )?things (?:to|with) me\b(?! (?:like|such|together))
(?:forces?|forced|forcing|makes|made|coerc\w+) me (?:to |into )?(?:have sex|sex|do (?:sexual
  |things i do not want)|sleep with|touch (?:him|her|them|it)|undress)|(?:touches|touched|touching) me (?:\w+ )?
  (?:there|down there|sexually|inappropriately|at night|in (?:ways|places)|where|when i (?:sleep|do not)
  |without)
my (?:\w+ )?(?:husband|wife|boyfriend|girlfriend|partner|father|mother|stepfather|stepmother|parents|uncle
  |brother|fiance|spouse|ex) (?:is|are|gets|became|has become|has been|turned|can be|got) (?:\w+ )?(?:
  (?:physically |sexually )abusive|violent|beating|hitting|abusing|abusive)\b
(?:i am|i have been|am|stuck|trapped|living) (?:\w+ )?in an? (?:\w+ )?(?:abusive|violent) (?:relationship
  |marriage|home|household|family)\b
(?:my|his|her) (?:hands|hand) (?:are |were )?(?:around|on) my (?:neck|throat)|(?:gun|knife) (?:to|at|against
  |on) my
"""
)
