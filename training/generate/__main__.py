"""Writes generated training data: questions about records of invented organizations, with labeled statements.

Usage: python -m generate TO.jsonl.gz --seed 1 --organisations 200 [--heldout] [--claims CLAIMS.jsonl.gz]
Each line has the statements of one to three records of an organization, and questions with a label for each
statement: 1 answers, 0 does not, -1 may (ignored). Some attributes, wordings and kinds occur only with --heldout.
"""

import argparse
import gzip
import json
import random

from .claims import claims_of
from .more_records import HELD_KINDS, KINDS
from .questions import questions_of
from .roughen import roughen
from .world import World

SETS_PER_ORGANISATION = 12


def sets_of(rng, heldout):
    """Yields sets of records of one organization."""
    kinds = [kind for kind in KINDS if heldout or kind not in HELD_KINDS]
    for _ in range(SETS_PER_ORGANISATION):
        world = World(rng, heldout)
        count = rng.choices([1, 2, 3], [5, 3, 2])[0]
        chosen = rng.choices(kinds, [KINDS[kind][1] for kind in kinds], k=count)
        yield [roughen(rng, KINDS[kind][0](rng, world)) for kind in chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("to")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--organisations", type=int, default=200)
    parser.add_argument("--heldout", action="store_true")
    parser.add_argument("--claims")
    options = parser.parse_args()
    claims = gzip.open(options.claims, "wt", encoding="utf-8") if options.claims else None
    questions = 0
    with gzip.open(options.to, "wt", encoding="utf-8", compresslevel=4) as file:
        for organisation in range(options.organisations):
            rng = random.Random(f"{options.seed}.{organisation}.{options.heldout}")
            for records in sets_of(rng, options.heldout):
                statements = [statement for record in records for statement in record.statements]
                asked = questions_of(rng, records, statements, options.heldout)
                if not asked:
                    continue
                row = {
                    "set": "generated",
                    "kind": records[0].kind,
                    "statements": [[context, said.text] for context, said in statements],
                    "questions": asked,
                }
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                questions += len(asked)
                for claim in claims_of(rng, records) if claims else []:
                    claims.write(json.dumps(claim, ensure_ascii=False) + "\n")
    if claims:
        claims.close()
    print(f"{questions} questions over {options.organisations} organisations in {options.to}")


if __name__ == "__main__":
    main()
