// A table of cells by column: scrolls by itself, also with the keyboard; on a narrow page each row is a block, and each
// cell has the name of its column beside it.
import type { ComponentChildren } from 'preact';

export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
  /** The name of the row. */
  readonly isName?: boolean;
}

export interface Row {
  readonly key: string;
  readonly cells: readonly ComponentChildren[];
}

export function DataTable({
  label,
  columns,
  rows,
}: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}) {
  const classOf = ({ isNumber }: Column) => (isNumber ? 'number' : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class="stacked">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={classOf(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {columns.map((column, i) =>
                column.isName ? (
                  <th key={column.name} scope="row" class="name">
                    {cells[i]}
                  </th>
                ) : (
                  <td key={column.name} class={classOf(column)} data-label={column.name}>
                    <div>{cells[i]}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
