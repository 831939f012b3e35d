/**
 * Returns a page without scripts or styles, so that it works under the default content security policy. The arguments
 * are not escaped: never pass text from a request.
 */
export function plainPage(title: string, paragraphs: readonly string[]): string {
  const body = paragraphs.map((text) => `<p>${text}</p>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Cairn</title>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}
