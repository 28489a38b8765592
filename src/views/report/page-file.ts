/**
 * A page with its data as one file, which opens from a disk and needs no network. Its policy lets nothing run but its own
 * script, and nothing leave the page, whatever the data contain.
 */

/** The id of the element with the data. */
export const FILE_RUN_ID = 'statedsl-run';

export interface PageFileParts {
  readonly title: string;
  readonly script: string;
  readonly style: string;
  /** Those of the packages in the script, which are passed on with it. */
  readonly licences: string;
  readonly data: unknown;
  /** SHA-256 of a text in UTF-8, as Base64. */
  readonly hash: (text: string) => string;
}

export function pageFile({ title, script, style, licences, data, hash }: PageFileParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}'`,
    `style-src 'sha256-${hash(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<template id="licences"><pre>${escapeText(licences)}</pre></template>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="${FILE_RUN_ID}">${scriptData(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON without `<`, so that no text in it can end the element or begin another one. */
export function scriptData(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
