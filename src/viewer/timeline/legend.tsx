/** What the colors of a timeline mean. */
const LABELS = [
  ['busy', 'Command'],
  ['agent', 'Agent'],
  ['gate', 'Gate'],
  ['wait', 'Waiting'],
  ['retry', 'Before a retry'],
  ['failed', 'Failed'],
  ['idle', 'Idle'],
] as const;

export function Legend() {
  return (
    <ul class="legend" aria-label="Colors">
      {LABELS.map(([name, label]) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}
