"""Messages written apart from the rules, in three rounds; after each the rules were widened for what they missed.

So they show that nothing is lost again, not how well unseen messages fare: before its widening a round of mostly
indirect messages was caught to 58%, 40% and 48%. No methods, means, quantities or places.
"""

from __future__ import annotations

POSITIVE = """
i think its time for me to go. thank you all for everything
I don't think I want to keep doing this life thing
sometimes i wonder if anyone would come to my funeral
i've been thinking the world doesn't need me in it
my family deserves better, they'd cope fine without me around
I'm so tired, I just want to go to sleep and not wake up
what's the easiest way to stop being alive
no matter what i do it hurts, i want out
i keep having thoughts about not being here anymore
honestly i'm just waiting to die
I can't keep living like this
There's just no point to any of it anymore
i dont think ill be around for christmas
I've already said my goodbyes
everything would be easier if i just didn't exist
i hate myself and want to hurt myself
urges to self harm are really strong tonight
My life has no meaning and I want it to be over
I feel like ending it
im at the end of my rope and cant hold on
Maybe I should just kill myself and be done with it
i don't wanna wake up tmrw
I've been planning how I would do it
it hurts too much to stay alive
I have nobody and nothing, why am I still alive
why am i even alive
I'm only staying alive for my dog
if it wasn't for my kids I'd be gone already
my bf hit me again last night and im scared
my friend just texted me goodbye and isnt picking up
my 15yo daughter told her friend she wants to disappear forever
i can't protect my kids from their father, he hits them
idk how much longer i can do this
I am a failure and everyone would be glad if I died
i want 2 kill miself
i wnat to end mi life
I wanna d1e so b4d
s u i c 1 d a l
im thinking abt killing myslef 2nite
I'd be better off dead honestly
nobody would care if i was gone lol
I'm ready to give up on living
i cannot see any way forward for me
I just want the suffering to stop forever
Tell my kids daddy loved them
the voices tell me to hurt myself
I've had enough. I can't see myself here next month
life isn't for me anymore
i dont belong here, im a mistake and should be gone
I think they'd be relieved if I wasn't around
it would be better if I had never existed
Who would look after my dog if I died? Asking because I've been thinking about it a lot
i cant stand being alive another minute
I'm not strong enough to keep fighting this
what if i just ended things tonight
I dont want help i just want to die
i'm going to do something bad to myself
had a breakdown and cut myself again today
Ive been clean for 3 months but tonight i cut again
my girlfriend locked herself in the bathroom saying she'll kill herself
my friend hasn't answered since he wrote that he can't go on
My daughter's friend told her she doesn't want to be alive
my nephew said he wishes he was never born and wants to end it
my partner keeps threatening me and i'm terrified of going home
my stepdad does things to me at night that i dont want
someone is following me right now and i'm scared
I want to unlive
just wanna be gone forever
feeling suicidial rn
no one is going to miss me when im gone
I'm writing this as my last post, thank you for being kind
i hope i dont wake up
I have decided that tonight will be my last
my mind keeps telling me that death is the only escape
Is it wrong that I'd be happy if I didn't wake up?
everyday i pray to die
I am exhausted of existing
I've lost the will to live
I don't have it in me to go on anymore
no one can help me, it's over for me
im worthless, my parents would be happier without me
my life ended the day she left, i want to follow her
i can't imagine growing older than this year
I feel like I'm just taking up air
nobody would even show up if i died
i don't see the point of carrying on with all this
its getting harder to find reasons to stay
I'm a useless waste and the planet would be better without me
i can't promise I'll be here tomorrow
i don't trust myself to be alone tonight
my depression is winning and i'm giving in
there is nothing keeping me here
when i close my eyes i hope they never open again
I said sorry to everyone I hurt, it's time
i am so done being alive
please just let it end
don't know if I want to keep breathing
how do i write a goodbye letter to my kids
this pain will only stop when i do
everyone's better off if i disappear
the thought of dying makes me feel calm
i wanna sleep and never wake up lol
im nothing but trouble, they'd all be better off
hurting myself is the only thing that helps
I burned myself on purpose yesterday
my roommate is talking about ending it all and i dont know what to do
my brother called me crying, he said he wants to die
A girl at school told me she cuts herself
my cousin posted that life isn't worth living anymore
my ex boyfriend keeps showing up at my house threatening to hurt me
my wife punched me again
dad gets drunk and hits us
I'm 14 and my uncle touches me
my baby's father shakes him when he cries
I feel unsafe with my husband tonight
su!c!de is all i think about
wnt 2 dye so bad, kms
k1lling my$elf sounds nice
i dont want to be alive any longer
every night I think about killing myself
""".strip().splitlines()

NEGATIVE = """
I would kill for some sleep
I'm dying of laughter
this heat is killing me
I want to kill my landlord lol
my code keeps dying
how to deal with a friend who died last year
I lost my dad to suicide when I was 12. How do kids cope?
I wanted to end my life in college but therapy helped me
is it common to feel hopeless with depression?
what are the stages of grief
my cat died and I miss her terribly
I can't do this math problem anymore
I'm so done with this week
I'm tired of being tired
I feel empty since the breakup
how do I stop cutting myself off from people
My teacher said I have no future in music
I need to stop beating myself up over mistakes
I'm a burden on my team because I'm slow at excel
how does someone get over self-harm
The documentary about suicide bombers was hard to watch
I gave away my old clothes to charity
we said our goodbyes at the airport
my contract ends tomorrow
I hit rock bottom five years ago and have been fine since
what to do when a child is afraid of the dark
I'm scared of my boss
he hit me up for money
she beat me in tennis
my brother pushes me to study harder
I'd rather be dead than caught wearing that
Can trauma from abuse in childhood cause depression?
I was abused as a child and now I see a therapist
Who do I call if someone is being abused?
what does suicidal ideation mean
i'm not going to kill myself over a bad grade
killing two birds with one stone
I died inside when she read my text aloud
My alarm makes me want to die every morning
can you die from a panic attack
I feel like I'm dying when I have a panic attack
I thought I was going to die during the panic attack
afraid to die in my sleep
my husband is afraid of dying
life is hard but worth living
there is no reason to panic
what is the point of therapy
what's the reason to go on living according to camus
My son hit my daughter with a toy
I can't live without coffee
I could eat a horse, I'm starving to death
my internet died again
Do people who attempt suicide regret it?
How can schools help prevent suicide?
My coworker's son died by suicide last month, what do I write in the card?
what should i do if my panic attacks come back
I cut my finger with paper, it hurts
why do I feel sad for no reason
nothing helps against my insomnia
I can't sleep, I keep thinking about work
I feel lost since I retired
I can't imagine life without my kids
how much longer will this cold last
my boyfriend doesn't want to live together
I'm done pretending to like my job
the pain in my knee will not stop
I'm ready to leave this city
i want to disappear into a good book
everyone would be happier without homework
I'd die without my phone
I'm over the moon
My kid wants to quit school
is it okay to take a break from family
how to say goodbye to my therapist at the last session
I wish I was taller
I wish I could sleep like a baby
I wish I had never bought this car
my son threw a tantrum at the shop
how to help my teen with low self esteem
When does baby blues end?
my daughter says she hates me
What happens if someone calls 988?
how do I write a will
do antidepressants make you feel dead inside
I nearly killed my plant
the battery is about to die
I think my ex is a narcissist
my friend ended our friendship and I'm heartbroken
what are coping skills for urges to smoke
my boss would kill for that contract
the suspense is killing me
dead on my feet after the shift
this diet will be the death of me
I could murder a curry
what does it mean to have passive suicidal ideation
How do hotlines protect privacy?
is self harm a form of addiction
my best friend killed herself in 2019 and I still cry
Ten years ago I tried to end my life. Today I'm a peer counselor.
I don't have any thoughts of harming myself
i'm not in danger, just need someone to talk to
no I would never kill myself
feeling down because it's raining
the break up hit me hard
She hurt my feelings
I'm scared of losing my job
I'm afraid of flying
my wife is angry with me
my dad yells a lot when football is on
I need an escape from work stress
how long until antidepressants start working
I want it to be over already, this semester is endless
I'm tired of living with roommates
I can't live with this noise
I am ready to give up on this recipe
no point in going to the party
I want to sleep all weekend
my grandfather is dying and I don't know what to say to him
can grief kill you
how to explain death to a toddler
is there life after death
The villain threatens to kill her in season two
My kid's goldfish died
i killed my speech today!
goodbye summer
what happens at a funeral
she's a drop dead beauty
""".strip().splitlines()
