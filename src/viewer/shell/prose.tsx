/** A sentence in which names and commands are set in backticks, as messages have them. */

export function Prose({ text }: { readonly text: string }) {
  return <>{text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
