import { sha256 } from '../base/digest.ts'
import { type Reply, reply } from './handler.ts'

const STYLE = `
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: #fcfbf8; color: #1c1c1a;
  font: 1rem/1.5 system-ui, sans-serif; }
main { box-sizing: border-box; width: min(28rem, 100% - 2rem); padding: 2rem; background: #fff;
  border: 1px solid #e3e1da; border-radius: 14px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; }
p { margin: 0.75rem 0 0; overflow-wrap: anywhere; }
a { color: #1f6f5c; }
strong code { font-size: 1.5rem; }
@media (prefers-color-scheme: dark) {
  body { background: #191917; color: #efeee9; }
  main { background: #222220; border-color: #3a3935; }
  a { color: #6cc3ac; }
}
`
const STYLE_HASH = `'sha256-${sha256(STYLE).toString('base64')}'`
const NOTHING_ELSE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const POLICY = `${NOTHING_ELSE}; style-src ${STYLE_HASH}`

/** Returns a page without scripts, with the content security policy for its style. Arguments are not escaped. */
export function plainPage(
  status: number,
  title: string,
  paragraphs: readonly string[],
  headers: Readonly<Record<string, string | string[]>> = {},
): Reply<string> {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('\n')
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Cairn</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return reply(status, page, { ...headers, 'content-security-policy': POLICY })
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
