"""Tests of the generators. Usage: cd training && python -m unittest"""

import random
import unittest

from generate.facts import AttributeFact
from generate.more_records import HELD_KINDS, KINDS
from generate.questions import questions_of
from generate.roughen import roughen
from generate.world import World


def rows_of(seed, heldout=False):
    """Returns records of every kind with their statements and questions."""
    rng = random.Random(seed)
    for kind, (write, _) in KINDS.items():
        record = roughen(rng, write(rng, World(rng, heldout)))
        yield kind, record, questions_of(rng, [record], record.statements, heldout)


class Generate(unittest.TestCase):
    def test_the_same_seed_gives_the_same_records(self):
        first, second = ([(kind, asked) for kind, _, asked in rows_of(7)] for _ in range(2))
        self.assertEqual(first, second)

    def test_no_template_is_left_unfilled(self):
        for seed in range(20):
            for kind, record, asked in rows_of(seed, heldout=True):
                for text in [said.text for _, said in record.statements] + [each["question"] for each in asked]:
                    self.assertNotRegex(text, r"\{\w*\}|\[[^\]]*\|", f"{kind}: {text}")

    def test_each_statement_has_a_label_and_unanswerable_questions_have_no_answer(self):
        for seed in range(10):
            for _, record, asked in rows_of(seed):
                for each in asked:
                    self.assertEqual(len(each["labels"]), len(record.statements))
                    self.assertEqual(each["near"] == "", 1 in each["labels"])

    def test_the_answer_of_a_question_for_a_value_holds_the_value(self):
        for seed in range(10):
            for _, record, _ in rows_of(seed):
                for fact in (each for each in record.facts if isinstance(each, AttributeFact)):
                    told = [said.text for _, said in record.statements if fact.key in said.told]
                    self.assertTrue(all(fact.value.lower() in text.lower() for text in told), (fact.key, told))

    def test_questions_of_training_have_none_of_the_held_out_parts(self):
        for seed in range(10):
            for kind, _, asked in rows_of(seed):
                held = {each["held"] for each in asked}
                self.assertTrue(held <= {""} or kind in HELD_KINDS, held)


if __name__ == "__main__":
    unittest.main()
