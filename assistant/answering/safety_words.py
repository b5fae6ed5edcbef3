"""The spellings that the screen for danger understands, as plain data."""

from __future__ import annotations

import re

CRITICAL: tuple[str, ...] = (
    "suicide", "suicidal", "myself", "kill", "killing", "killed", "alive", "living", "suicidally",
    "hurting", "goodbye", "hopeless", "hopelessness", "worthless", "overdose", "anymore", "disappear",
    "existing", "pointless", "burden", "ending", "die", "dead", "dying", "death", "life", "live", "end",
    "selfharm", "selfharming", "harming", "himself", "herself", "themselves", "unalive", "unaliving",
)  # fmt: skip
"""Words whose misspelling must not hide them. Only those of four letters or more are spell-checked."""

_ORDINARY = """
    active alice alike alone anyone anyway arming arrive bead bee believe belive bundle burdens burdensome
    burned busting buying charming crying deaf deal dealt dean dear dearth deaths deed depth dial dice died
    dies diet dime dine ding dining disappeared disappearing disappears dive diving doing done dread drying
    during dyeing editing ended endings ends engine exciting existent exists exiting farming fie file five
    giving going good goodies harmony having head health heath heating helping helpless herself hiding
    himself hiring hitting homeless hopeful hopelessly hosting hunting hurling inn itself kick kid kids
    killer killers killian killjoy kills kiln kilo kilos kilt kind king kiss knife krill lane lave leaving
    level lever lice licking lie lied lies lieu lifer lift lifting light like liking lime line lining lion
    lite live lived lively liver lives livid love loved loving lying mending moving nightlife offend
    offended offending offends olive oneself ourselves overcame overcome overdosage overdosing overuse
    painless read scarred sending skill skilled sliding spending trying vending warming wending wife
    worthwhile worthy yourself
"""
ORDINARY = frozenset(_ORDINARY.split())
"""Real words that lie one slip from a critical one."""

_RULE_WORDS = """
a about afraid again ago alive all always am and any anymore anyone anything anyway are at attempt away bad
be beat beats been being better born boyfriend brother burden but bye can care cares child commit committing
could cut cutting daughter dead death decided did die died dies disappear do does done dying else end ending
ends enough everybody everyone everything exist existence existing father feel feeling feels forever friend
girlfriend give giving go going gone good goodbye goodbyes had harm harming has hate hates have he help her
here herself him himself his hit hits home hope hopeless hopelessness how hurt hurting hurts husband i if in
is it just keep kill killed killing kills last left letter life like live lives living love made make makes
may me might more mother much murder my myself need never night no nobody not note nothing now of off old on
or our out overdose own pain people plan planning please point pointless purpose ready really reason scared
self selfharm selfharming she should sick sister sleep sleeping so some somebody someone son soon sorry stop
stuff suicidal suicidally suicide take taking tell that the their them themselves there these they things
think thinking this those thought thoughts tired to today tomorrow tonight too unalive unaliving up urge
urges us useless vanish very wake want wanted wanting wants was way we were what when where who why wife
will wish without world worthless would year years you your yourself
"""

ALIASES: dict[str, str] = {
    "dont": "do not", "cant": "can not", "cannot": "can not", "wont": "will not", "im": "i am",
    "ive": "i have", "isnt": "is not", "arent": "are not", "wasnt": "was not", "werent": "were not",
    "didnt": "did not", "doesnt": "does not", "wouldnt": "would not", "couldnt": "could not",
    "shouldnt": "should not", "havent": "have not", "hasnt": "has not", "hadnt": "had not",
    "aint": "am not", "hes": "he is", "shes": "she is", "theyre": "they are", "youre": "you are",
    "whats": "what is", "thats": "that is", "theres": "there is", "youll": "you will", "itll": "it will",
    "theyll": "they will", "theyd": "they would", "shouldve": "should have", "wouldve": "would have",
    "couldve": "could have", "doesn": "does not", "wanna": "want to", "wana": "want to", "wunna": "want to",
    "wnna": "want to", "gonna": "going to", "gona": "going to", "gunna": "going to", "finna": "going to",
    "imma": "i am going to", "ima": "i am going to", "tryna": "trying to", "gotta": "have to",
    "hafta": "have to", "wnat": "want", "watn": "want", "wan": "want", "wannna": "want to",
    "dnt": "do not", "dunno": "do not know", "idk": "i do not know",
    "thots": "thoughts", "thougts": "thoughts", "toughts": "thoughts", "thoghts": "thoughts",
    "freind": "friend", "frend": "friend", "freinds": "friends", "u": "you", "ur": "your", "r": "are",
    "rly": "really", "rlly": "really", "bc": "because", "cuz": "because", "coz": "because",
    "cos": "because", "tho": "though", "n": "and", "nd": "and", "b4": "before", "2day": "today",
    "2nite": "tonight", "2night": "tonight", "tonite": "tonight", "2moro": "tomorrow", "tmr": "tomorrow",
    "tmrw": "tomorrow", "tomorow": "tomorrow", "4ever": "forever", "4eva": "forever", "rn": "right now",
    "any1": "anyone", "every1": "everyone", "some1": "someone", "no1": "nobody", "noone": "nobody",
    "evry1": "everyone", "everbody": "everybody", "ppl": "people", "plz": "please", "pls": "please",
    "srsly": "seriously", "bf": "boyfriend", "gf": "girlfriend", "hubby": "husband", "mum": "mother",
    "mom": "mother", "mam": "mother", "mommy": "mother", "mummy": "mother", "momma": "mother",
    "dad": "father", "daddy": "father", "sis": "sister", "bro": "brother", "bestie": "best friend",
    "bff": "best friend", "m8": "friend", "buddy": "friend", "pal": "friend", "mate": "friend",
    "stepdad": "stepfather", "stepmom": "stepmother", "stepmum": "stepmother", "kms": "kill myself",
    "kmself": "kill myself", "kmsing": "killing myself", "ctb": "kill myself", "wtd": "want to die",
    "sewerslide": "suicide", "sewercide": "suicide", "suislide": "suicide", "comit": "commit",
    "committ": "commit", "commiting": "committing", "whant": "want", "wnt": "want", "whanna": "want to",
    "wannt": "want", "suicid": "suicide", "suacide": "suicide", "suicde": "suicide", "soocide": "suicide",
    "suecide": "suicide", "suiside": "suicide", "sucide": "suicide", "sucidal": "suicidal",
    "suisidal": "suicidal", "unalive": "kill", "unaliving": "killing", "unalived": "killed",
    "unliving": "killing", "unlive": "kill myself", "offing": "killing", "kil": "kill", "kll": "kill",
    "kiil": "kill", "klil": "kill", "kiling": "killing", "selfharm": "self harm",
    "selfharming": "self harming", "selfharmed": "self harmed", "dei": "die", "diee": "die", "ded": "dead",
    "lyf": "life", "lyfe": "life", "lief": "life", "lfie": "life", "mself": "myself", "meself": "myself",
    "misself": "myself", "myslef": "myself", "myelf": "myself", "mi": "my", "miself": "myself",
    "mysel": "myself", "goodby": "goodbye",
    "goodbyes": "goodbye", "farewell": "goodbye", "tierd": "tired", "nuthin": "nothing",
    "nothin": "nothing", "nuffin": "nothing", "livin": "living", "goin": "going", "bein": "being",
    "killin": "killing", "thinkin": "thinking", "feelin": "feeling", "dyin": "dying", "hurtin": "hurting",
    "cuttin": "cutting", "wether": "whether", "everyones": "everyone is", "nobodys": "nobody is",
}  # fmt: skip
"""Short forms, slang and frequent slips, each as the rules spell it."""

WORDS = frozenset(_RULE_WORDS.split()) | frozenset(CRITICAL)

CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bcan't\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"\bain't\b"), "am not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\bi'm(?=ma\b)"), "i am going to "),
    (re.compile(r"'m\b"), " am"),
    (re.compile(r"'ve\b"), " have"),
    (re.compile(r"'ll\b"), " will"),
    (re.compile(r"'re\b"), " are"),
    (re.compile(r"'d\b"), " would"),
    (re.compile(r"&"), " and "),
    (re.compile(r"\bid (?=rather|be better|like to|love to|just)"), "i would "),
    (
        re.compile(r"\bill (?=just|kill|end|be gone|never|die|not|do it|make it|be (?:here|around|alive|dead))"),
        "i will ",
    ),
    (re.compile(r"\b2 (?=(?:die|live|end|kill|be|go|hurt|disappear|exist|stop)\b)"), "to "),
    (re.compile(r"\b(want|going|ready|need) too (?=(?:die|live|end|kill|be|go|hurt)\b)"), r"\1 to "),
    (re.compile(r"\bany more\b"), "anymore"),
    (re.compile(r"\bgood[ -]bye"), "goodbye"),
    (re.compile(r"\bno one\b"), "nobody"),
    (re.compile(r"\bself[ -](?=harm)"), "self "),
)

STARTS_IS = "he|she|it|that|there|what|who|where|here|everyone|everybody|nobody|someone|life|everything"
"""Words after which 's means "is"."""

LEET: dict[str, str] = {
    "0": "o", "1": "il", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g", "@": "a", "$": "s",
    "!": "il", "|": "li", "+": "t", "6": "g", "2": "z",
}  # fmt: skip

LOOKALIKES = str.maketrans(
    "аеорсухікмтвнѕјԁɡıοαεικνρτυ", "aeopcyxikmtbhsjdgioaeiknptu"
)  # Cyrillic, Greek and dotless letters that look like Latin ones
