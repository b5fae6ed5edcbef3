"""Tables in all forms, and every bad input with its clear line."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.errors import TableError
from trainer.general import FOLDER, subject_of, with_general
from trainer.table import Entry, Table, normalised, read_negatives, read_table, shortened, slug

ROOT = Path(__file__).resolve().parents[2]
Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file and return its path."""

    def made(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return made


def said(path: Path) -> str:
    """What is said of a table that cannot be used: one line that begins with the file."""
    with pytest.raises(TableError) as caught:
        read_table(path)
    text = str(caught.value)
    assert "\n" not in text and text.startswith(str(path)), text
    return text.removeprefix(str(path))


HEAD = "question,answer\n"
TWO = "What is a loan?,Money you owe.\nWhat is rent?,Money for a home.\n"


# What can be read


def test_csv_with_all_columns(write: Write) -> None:
    path = write(
        "t.csv",
        "id,question,answer,category,source_title,source_url,details,phrasings\n"
        'loan,"What is a loan, please?","Money\nyou owe.",basics,Book,https://b.org,"**More**",'
        '"a loan? | lend me\nborrow"\n'
        ",What is rent?,Money for a home.,,,,,\n",
    )
    first, second = read_table(path).entries
    assert first == Entry(
        "loan",
        "What is a loan, please?",
        "Money\nyou owe.",
        "basics",
        "**More**",
        "Book",
        "https://b.org",
        phrasings=("a loan?", "lend me", "borrow"),
    )
    assert second == Entry("what-is-rent", "What is rent?", "Money for a home.")


@pytest.mark.parametrize(
    "head", ["question,answer\n", "\ufeffquestion,answer\n", " Question , ANSWER \n", "answer2,question,answer\n"]
)
def test_heads_are_forgiving(write: Write, head: str) -> None:
    rows = TWO if "2" not in head else "".join(f"x,{row}\n" for row in TWO.splitlines())
    assert [e.question for e in read_table(write("t.csv", head + rows)).entries] == ["What is a loan?", "What is rent?"]


def test_windows_line_ends_and_a_capital_ending(write: Write) -> None:
    table = read_table(write("T.CSV", (HEAD + TWO).replace("\n", "\r\n")))
    assert table.entries[1].answer == "Money for a home."


def test_empty_cells_behind_the_last_column_are_nothing(write: Write) -> None:
    assert len(read_table(write("t.csv", HEAD + "a?,b,,\nc?,d,,\n")).entries) == 2


def test_jsonl(write: Write) -> None:
    rows = [
        {
            "question": "What\u2028is a loan?",
            "answer": "Owed\u0085money.",
            "phrasings": ["lend", " "],
            "id": 7,
            "new": [1],
        },
        {
            "question": "What is rent?",
            "answer": "x",
            "followups": [{"previous": "I have a flat", "question": "and?"}],
            "related": ["7"],
            "kind": "smalltalk",
        },
    ]
    text = "\ufeff" + "\n\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    first, second = read_table(write("t.jsonl", text)).entries
    assert (first.id, first.question, first.answer, first.phrasings) == (
        "7",
        "What\u2028is a loan?",
        "Owed\u0085money.",
        ("lend",),
    )
    assert second.followups == (("I have a flat", "and?"),) and second.related == ("7",) and second.kind == "smalltalk"


TOML = '''category = "debts"
[[entry]]
question = "What is a loan?"
answer = """
Money you owe."""
phrasings = ["lend", "borrow"]
written = 2026-01-02
followups = [{ previous = "I need money", question = "from whom?" }]
[[entry]]
question = "What is rent?"
answer = "Money for a home."
category = "homes"
'''


def test_toml(write: Write) -> None:
    first, second = read_table(write("t.toml", TOML)).entries
    assert (first.category, second.category, first.answer, first.written) == (
        "debts",
        "homes",
        "Money you owe.",
        "2026-01-02",
    )
    assert first.phrasings == ("lend", "borrow") and first.followups == (("I need money", "from whom?"),)


def test_folder_of_toml_with_negatives(write: Write, tmp_path: Path) -> None:
    write("f/b.toml", TOML)
    write("f/a.toml", '[[entry]]\nquestion = "First?"\nanswer = "Yes."\n')
    write("f/negatives.jsonl", '{"question": "who won the game"}\n\n{"question": "weather"}\n')
    table = read_table(tmp_path / "f")
    assert [e.question for e in table.entries] == ["First?", "What is a loan?", "What is rent?"]
    assert table.entries[0].category == "a" and table.negatives == ("who won the game", "weather")


def test_our_own_tables_can_be_read() -> None:
    general = read_table(FOLDER)
    assert all(entry.kind == "smalltalk" for entry in general.entries)
    assert len(list(read_negatives(FOLDER / "negatives.jsonl"))) > 100


def test_slugs_are_readable_and_unlike() -> None:
    assert slug("What is CBT?") == "what-is-cbt"
    assert slug("Où est le café, naïf?") == "ou-est-le-cafe-naif"
    assert slug("one two three four five six seven eight nine") == "one-two-three-four-five-six-seven-eight"
    assert slug("これは何ですか") == ""


def test_ids_are_made_where_there_are_none(write: Write) -> None:
    rows = "what-is-x,Given?,a\n,What is x?,b\n,What is X!,c\n,これは,d\n,何,e\n"
    ids = [e.id for e in read_table(write("t.csv", "id,question,answer\n" + rows)).entries]
    assert ids == ["what-is-x", "what-is-x-2", "what-is-x-3", "entry", "entry-2"]


def test_shortened_cuts_behind_a_sentence() -> None:
    entry = Entry("a", "q", "One two three. Four five! Six seven eight nine.")
    assert shortened(entry, 9) is entry
    cut = shortened(entry, 6)
    assert (cut.answer, cut.details) == ("One two three. Four five!", entry.answer)
    assert shortened(entry, 5).answer == "One two three. Four five!"
    assert shortened(entry, 4).answer == "One two three."
    assert shortened(entry, 2).answer == "One two"
    assert shortened(Entry("a", "q", entry.answer, details="mine"), 4).details == "mine"


def test_digest_tells_texts_apart() -> None:
    def digest(answer: str, negative: str = "n") -> str:
        return Table((Entry("a", "q", answer),), (negative,)).digest()

    assert digest("x") == digest("x") and len({digest("x"), digest("y"), digest("x", "m")}) == 3


def test_normalised_forgets_case_space_and_punctuation() -> None:
    assert normalised("  What's  UP? ") == normalised("what s up") == "what s up"


def test_general_entries_join_a_table() -> None:
    asked = read_table(FOLDER).entries[0].question
    table = Table((Entry("mine", asked.upper(), "My own."), Entry("other", "What is a loan?", "x")), ("my negative",))
    joined = with_general(table, "money")
    assert joined.entries[:2] == table.entries and joined.subject == "money"
    assert sum(normalised(e.question) == normalised(asked) for e in joined.entries) == 1
    assert not any("{subject}" in e.answer for e in joined.entries)
    assert joined.negatives[0] == "my negative" and len(joined.negatives) > 100
    topics = {normalised(text) for e in joined.entries for text in (e.question, *e.phrasings)}
    assert not topics & {normalised(text) for text in joined.negatives}


def test_subject_is_guessed_from_the_name() -> None:
    assert subject_of(Path("trainer/curated/mental_health")) == "mental health"
    assert subject_of(Path("Pet-Care.csv")) == "pet care"


# What cannot


def test_missing_and_unknown_files(write: Write, tmp_path: Path) -> None:
    assert said(tmp_path / "no.csv") == ": no such file"
    assert said(write("t.xlsx", "x")) == ": unknown kind of table; use .csv, .jsonl or .toml"
    assert said(tmp_path) == ": holds no .toml file"


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.toml"])
@pytest.mark.parametrize("content", ["", " \n\n\t "])
def test_empty_files(write: Write, name: str, content: str) -> None:
    assert said(write(name, content)) == ": is empty"


def test_missing_columns_are_named(write: Write) -> None:
    assert said(write("a.csv", "question,reply\nx,y\n")) == ": no column answer; found question, reply"
    assert said(write("b.csv", "q;a\nx;y\n")) == ": no column question and no column answer; found q;a"


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.toml"])
def test_wrong_encodings_name_the_line(write: Write, name: str) -> None:
    latin = (HEAD + TWO + "Où?,Là-bas é\n").encode("latin-1")
    assert said(write(name, latin)) == ", line 4: is not UTF-8; save the table as UTF-8 and try again"
    assert "line 1: is not UTF-8" in said(write("w" + name, (HEAD + TWO).encode("utf-16")))


def test_nul_bytes(write: Write) -> None:
    assert said(write("t.csv", HEAD + TWO + "a\0,b\n")) == ": holds NUL bytes; this is no CSV table"
    assert "NUL" in said(write("u.csv", (HEAD + TWO).encode("utf-16-le")))


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ("loan,A?,x\nrent,B?,y\nloan,C?,z\n", ", line 4: the id 'loan' stands already at PATH, line 2"),
        ("a,What is it?,x\nb,WHAT IS IT?,y\n", ", line 3: the question 'what is it?' stands already at PATH, line 2"),
    ],
)
def test_duplicates_name_both_places(write: Write, rows: str, where: str) -> None:
    path = write("t.csv", "id,question,answer\n" + rows)
    assert said(path) == where.replace("PATH", str(path))


def test_duplicates_over_two_files_name_both(write: Write, tmp_path: Path) -> None:
    write("a.toml", TOML)
    write("b.toml", '[[entry]]\nquestion = "what is rent?"\nanswer = "x"\n')
    text = said(tmp_path)
    assert "b.toml, entry 1" in text and "a.toml, entry 2" in text


def test_empty_cells(write: Write) -> None:
    assert said(write("a.csv", HEAD + "a?,b\nc?,  \n")) == ", line 3: the answer is empty"
    assert said(write("b.csv", HEAD + "a?,b\n ,d\n")) == ", line 3: the question is empty"
    assert said(write("c.csv", HEAD + "a?\n")) == ", line 2: the answer is empty"
    assert said(write("t.toml", '[[entry]]\nquestion = "q"\n')) == ", entry 1: the answer is empty"


@pytest.mark.parametrize("rows", ["", "a?,b\n"])
def test_too_few_rows(write: Write, rows: str) -> None:
    assert said(write("t.csv", HEAD + rows)) == f": {bool(rows):d} question(s); a model needs at least 2"


def test_long_texts_name_the_row(write: Write) -> None:
    long = "w " * 25_000
    assert (
        said(write("a.csv", HEAD + TWO + f"{long},b\n"))
        == ", line 4: the question has 49,999 characters; the limit is 2,000"
    )
    text = said(write("b.csv", HEAD + TWO + f"a?,{long}{long}\n"))
    assert text == ", line 4: the answer has 99,999 characters; the limit is 50,000"
    path = write("c.csv", "question,answer,phrasings\n" + f"a?,b,x|{long}\nc?,d,\n")
    assert said(path).startswith(", line 2: one of the phrasings has")


def test_an_open_quotation_mark_does_not_swallow_the_table(write: Write) -> None:
    assert "unexpected end of data" in said(write("t.csv", HEAD + TWO + 'a?,"b\nc?,d\n'))


def test_a_comma_outside_quotation_marks_does_not_cut_an_answer(write: Write) -> None:
    assert said(write("t.csv", HEAD + TWO + "a?,first, second\n")).startswith(", line 4: more cells than columns")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("[" * 100_000, "no JSON object"),
        ('{"question": ', "no JSON object"),
        ("[1]", "no JSON object"),
        ("1" * 5000, "no JSON object"),
        ('{"question": ["a"], "answer": "b"}', "question is no text"),
        ('{"question": "a?", "answer": "b", "phrasings": "c"}', "phrasings must be a list of texts"),
        ('{"question": "a?", "answer": "b", "phrasings": 5}', "phrasings must be a list of texts"),
        ('{"question": "a?", "answer": "b", "phrasings": {"c": 1}}', "phrasings must be a list of texts"),
        ('{"question": "a?", "answer": "b", "related": [1]}', "related must be a list of texts"),
        (
            '{"question": "a?", "answer": "b", "followups": [1]}',
            'each of the followups needs a "previous" and a "question"',
        ),
        (
            '{"question": "a?", "answer": "b", "followups": [{"previous": "x"}]}',
            'each of the followups needs a "previous" and a "question"',
        ),
        ('{"question": "a?", "answer": "b", "kind": "joke"}', "kind is 'joke'; it must be topic or smalltalk"),
        ('{"question": "a?", "answer": "b\\ud83d"}', "answer holds half a character, '\\ud83d'"),
        ('{"question": "a?", "answer": "b", "phrasings": ["\\udc00"]}', "phrasings holds half a character, '\\udc00'"),
    ],
)
def test_bad_jsonl(write: Write, line: str, what: str) -> None:
    assert said(write("t.jsonl", '{"question": "x?", "answer": "y"}\n' + line)) == f", line 2: {what}"


def test_deep_json_inside_a_row(write: Write) -> None:
    line = '{"question": "a?", "answer": "b", "x": ' + '{"a":' * 50_000 + "1" + "}" * 50_001
    assert said(write("t.jsonl", line)) == ", line 1: no JSON object"


def test_bad_toml(write: Write) -> None:
    assert "line 2" in said(write("a.toml", "[[entry]]\nquestion = \n"))
    wanted = ': "entry" is no list; write [[entry]] above each entry'
    assert said(write("b.toml", '[entry]\nquestion = "a"\nanswer = "b"\n')) == wanted
    assert said(write("c.toml", "entry = [1, 2]\n")) == wanted
    assert said(write("d.toml", "x = " + "[" * 20_000)).startswith(": ")


def test_bad_negatives(write: Write, tmp_path: Path) -> None:
    write("a.toml", TOML)
    path = write("negatives.jsonl", '{"question": "x"}\n{"text": "y"}\n')
    with pytest.raises(TableError, match=r'line 2: no "question"') as caught:
        read_table(tmp_path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("same", [False, True])
def test_ten_thousand_rows(write: Write, same: bool) -> None:
    """Quick and small, also where all questions begin alike (their ids are then numbered)."""
    begin = "what is the best way for me to " if same else ""
    rows = "".join(
        f'{begin}question {i} about thing {i * 7}?,"Answer {i}. It has two sentences, and a comma."\n'
        for i in range(10_000)
    )
    path = write("t.csv", HEAD + rows)
    began = time.monotonic()
    tracemalloc.start()
    try:
        table = read_table(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(table.entries) == 10_000 and len({e.id for e in table.entries}) == 10_000
    assert peak < 60e6, f"{peak / 1e6:.0f} MB"
    assert time.monotonic() - began < 15


def test_the_command_says_one_line_and_leaves_nothing(write: Write, tmp_path: Path) -> None:
    """A process of its own: no traceback, exit code 1, no folder, and no wait for Keras."""
    path = write("t.csv", "a,b\n1,2\n")
    program = (
        "import sys; from trainer.cli import main\ntry: main()\n"
        "finally: print('keras' in sys.modules, 'tensorflow' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "fit", str(path), "--preset", "tiny", "-o", str(tmp_path / "out")],
        cwd=ROOT,
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr == f"lamplight-train: {path}: no column question and no column answer; found a, b\n"
    assert done.stdout == "False False\n" and not (tmp_path / "out").exists()
