/** The end of the id of a run: runs of one minute begin alike. Commands accept it as the whole id. */
export const shortId = (id: string): string => id.slice(-8);

export function ShortId({ id }: { readonly id: string }) {
  return (
    <span class="mono faint" title={id}>
      {shortId(id)}
    </span>
  );
}
