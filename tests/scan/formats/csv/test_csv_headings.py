"""Headings of several lines and headings that are questions, as surveys and reports export them."""

import pytest

from tests.scan.formats.text_descriptions import ask

SECOND = "a second line of headings follows the header: these values are no data"
TWO_MORE = "two lines of headings follow the header: these values are no data"
ABOVE = "a line of headings stands above the header: readers must skip it"
UNSURE = "whether the first line is a header cannot be told from its values"


def test_questions_below_codes_are_no_data() -> None:
    answer = ask(
        "Q1,Q2,Q3\nHow old are you?,How satisfied are you with it?,Any comments?\n"
        "34,5,fine\n51,3,\n28,4,good stuff\n",
        "csv",
    )
    assert answer.types == {"Q1": "INT64", "Q2": "INT64", "Q3": "STRING"}
    assert (answer.rows, answer.notes) == (3, (SECOND,))


def test_questions_above_texts_alone_are_noticed_by_what_they_ask() -> None:
    answer = ask(
        "Q1,Q2\nWhat is your favourite colour of all?,Which kind of transport do you use?\n"
        "red,bus\nblue,train\ngreen,car\n",
        "csv",
    )
    assert (list(answer.types), answer.rows) == (["Q1", "Q2"], 3)
    assert answer.notes == (SECOND, UNSURE)


def test_surveys_of_qualtrics_have_three_lines() -> None:
    answer = ask(
        "StartDate,Q1,Q2\nStart Date,How likely is it that you recommend us?,Why?\n"
        '"{""ImportId"":""startDate""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
        "2024-01-01 10:00:00,9,nice\n2024-01-02 11:00:00,7,ok\n",
        "csv",
    )
    assert answer.types == {"StartDate": "TIMESTAMP(us)", "Q1": "INT64", "Q2": "STRING"}
    assert (answer.rows, answer.notes) == (2, (TWO_MORE,))


def test_choices_of_a_question_are_its_columns() -> None:
    choices = "1001,22,Apples,,\n1002,22,,Pears,x\n1003,22,Apples,Pears,\n"
    answer = ask(
        f"RespondentID,CollectorID,Which do you like?,,\n,,Apples,Pears,Other\n{choices}", "csv"
    )
    assert answer.types == {
        "RespondentID": "INT64", "CollectorID": "INT64", "Apples": "STRING", "Pears": "STRING",
        "Other": "STRING",
    }  # fmt: skip
    assert (answer.rows, answer.notes) == (3, (ABOVE,))


@pytest.mark.parametrize(
    "groups", ["2023,,,2024,,", "2023,2023,2023,2024,2024,2024", "2023,,,2024"]
)
def test_groups_above_the_header_are_no_names(groups: str) -> None:
    answer = ask(f"{groups}\nregion,q1,q2,q3,q4,q5\nnorth,1,2,3,4,5\nsouth,2,3,4,5,6\n", "csv")
    assert list(answer.types) == ["region", "q1", "q2", "q3", "q4", "q5"]
    assert set(answer.types.values()) == {"STRING", "INT64"}
    assert (answer.rows, answer.notes) == (2, (ABOVE,))


def test_a_group_names_a_column_that_the_header_does_not() -> None:
    answer = ask("person,,order,\n,age,id,amount\nBob,34,1,2.5\nAnn,28,2,3.5\n", "csv")
    assert list(answer.types) == ["person", "age", "id", "amount"]


def test_a_line_that_only_says_response_is_no_data() -> None:
    """As in surveys of SurveyMonkey: nothing stands below the number of a respondent."""
    answer = ask(
        "RespondentID,Do you smoke?,Do you gamble?,Age\n,Response,Response,Response\n"
        "3237565956,No,Yes,> 60\n3234982343,,,\n3234973379,Yes,No,18-29\n",
        "csv",
    )
    assert list(answer.types) == ["RespondentID", "Do you smoke?", "Do you gamble?", "Age"]
    assert answer.types["RespondentID"] == "INT64"
    assert (answer.rows, answer.notes) == (3, (SECOND,))


def test_columns_below_a_question_have_the_names_of_their_answers() -> None:
    answer = ask(
        "RespondentID,Have you seen any film?,Which have you seen?,,Please rank them.,,Gender\n"
        ",Response,I,II,First film,Second film,Response\n"
        "3292879998,Yes,I,II,3,2,Male\n3292879538,No,,,,,Male\n3292765271,Yes,,II,1,2,\n",
        "csv",
    )
    assert answer.columns == [
        ("RespondentID", "INT64"), ("Have you seen any film?", "STRING"), ("I", "STRING"),
        ("II", "STRING"), ("First film", "INT64"), ("Second film", "INT64"), ("Gender", "STRING"),
    ]  # fmt: skip
    assert (answer.rows, answer.notes) == (3, (ABOVE,))


def test_units_below_names_are_no_data() -> None:
    answer = ask("time,temp,wind\n,degC,m/s\n2024-01-01,1.5,3.2\n2024-01-02,2.5,4.2\n", "csv")
    assert answer.types == {"time": "DATE", "temp": "FLOAT64", "wind": "FLOAT64"}
    assert (answer.rows, answer.notes) == (2, (SECOND,))


LONG = (
    "What is the name of the city in which you have spent most of your life until today?",
    "Which kind of transport do you use most often in order to get to your place of work?",
)


@pytest.mark.parametrize("rows", ["Berlin,bus\nParis,train\nRome,car\n", "3,bus\n2,train\n"])
def test_long_questions_are_names(rows: str) -> None:
    assert [name for name, _ in ask(f"{LONG[0]},{LONG[1]}\n{rows}", "csv").columns] == [*LONG]


NO_HEADINGS = [
    # Values that are not known, in columns of numbers.
    "name,amount,n\nBob,unknown,none\nAnn,3.5,4\nTim,4.5,5\n",
    "name,amount,n\nBob,-,?\nAnn,3.5,4\nTim,4.5,5\n",
    "name,amount,n\nBob,n/a,N.A.\nAnn,3.5,4\nTim,4.5,5\n",
    # Texts, of which the first ones are long.
    "name,note\nChristopher Alexander Smith,A very long note that goes on\nBob,ok\nAnn,fine\n",
    "a,b\nx,y\nz,w\nu,v\n",
    # A value that occurs again.
    "a,b,c\nlow,low,low\n1,2,low\n3,4,high\n",
    # One number that is a text.
    "id,name\nx1,Bob\n2,Ann\n3,Tim\n",
]


@pytest.mark.parametrize("text", NO_HEADINGS)
def test_the_first_row_of_data_is_no_heading(text: str) -> None:
    answer = ask(text, "csv")
    assert answer.rows == text.count("\n") - 1
    assert not {SECOND, TWO_MORE, ABOVE} & {*answer.notes}


@pytest.mark.parametrize(
    "text",
    [
        "Bob,,\nAnn,Jones,Rome\nTim,,Paris\nEve,Smith,\nKim,Park,Seoul\n",
        "5,,x\nabc,y,z\n6,u,v\n7,s,t\n",
        "Bob,5,,\nAnn,,Lee,Rome\nTim,6,,Oslo\nEve,7,Ray,\n",
    ],
)
def test_rows_without_a_header_give_no_names(text: str) -> None:
    """A row of data must never become the names of columns."""
    assert ask(text, "csv").columns[0][0] == "_c0"
