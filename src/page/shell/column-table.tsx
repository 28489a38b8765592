/** A table with a head. */
import type { ComponentChildren } from 'preact';

interface ColumnTableProps {
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

export function ColumnTable({ columns, children }: ColumnTableProps) {
  return (
    <table>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
