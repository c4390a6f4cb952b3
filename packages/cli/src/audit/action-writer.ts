// Writes actions while a log is being read: in batches, so that neither the log nor its actions are ever in memory.
import { type AuditedAction, type AuditTally, actionDocument } from '@podtrail/history/audit';
import type { AuditDocument } from '@podtrail/history/audit/schemas';
import { formatCsv } from '../output/csv.ts';
import { formatJson, formatJsonLine } from '../output/json.ts';
import type { PrintOptions } from '../output/print.ts';
import { type Column, formatTable } from '../output/table.ts';
import { visible } from '../output/visible.ts';
import { ACTION_CSV, actionColumns, actionName } from './action-view.ts';

export const AUDIT_FORMATS = ['table', 'wide', 'json', 'jsonl', 'csv', 'name'] as const;

/** A table of fewer rows has columns of one width. Behind it rows are written as they come, as all other formats are. */
const FIRST_ROWS = 1000;

export class ActionWriter {
  readonly #print: PrintOptions;
  readonly #query: AuditDocument['query'];
  readonly #columns: readonly Column<AuditedAction>[];
  readonly #widths: number[];
  #batch: AuditedAction[] = [];
  #written = 0;

  constructor(print: PrintOptions, query: AuditDocument['query']) {
    this.#print = print;
    this.#query = query;
    // Looking up a zone is dear, and JSON needs none.
    let zone: PrintOptions['zone'] | undefined;
    this.#columns = actionColumns(() => (zone ??= print.zone), print.format === 'wide');
    this.#widths = this.#columns.map(() => 0);
  }

  /** What was added, whether it is written already or not. */
  get count(): number {
    return this.#written + this.#batch.length;
  }

  add(action: AuditedAction): void {
    this.#batch.push(action);
  }

  /** Writes what there is; without `now`, a table waits for its first rows. */
  async flush(now: boolean): Promise<void> {
    const { format } = this.#print;
    const waits = (format === 'table' || format === 'wide') && this.#written === 0;
    if (this.#batch.length === 0 || (!now && waits && this.#batch.length < FIRST_ROWS)) return;
    const batch = this.#batch;
    this.#batch = [];
    await this.#print.out.write(this.#format(batch));
    this.#written += batch.length;
  }

  async end(tally: AuditTally): Promise<void> {
    await this.flush(true);
    if (this.#print.format !== 'json') return;
    const { lines, bytes, actions, repeated, damaged } = tally;
    const summary = { lines, bytes, actions, shown: this.#written, repeated, damaged };
    const before = this.#written === 0 ? this.#jsonHead() : '\n';
    await this.#print.out.write(`${before}  ],\n  "summary": ${indented(summary)}\n}\n`);
  }

  #format(batch: readonly AuditedAction[]): string {
    const { format, headers } = this.#print;
    const isFirst = this.#written === 0;
    switch (format) {
      case 'json': {
        const items = batch.map((action) => `    ${indented(actionDocument(action), '    ')}`);
        return `${isFirst ? `${this.#jsonHead()}` : ',\n'}${items.join(',\n')}`;
      }
      case 'jsonl':
        return batch.map((action) => formatJsonLine(actionDocument(action))).join('');
      case 'csv':
        return formatCsv(batch, ACTION_CSV, headers && isFirst);
      case 'name':
        return batch.map((action) => `${visible(actionName(action))}\n`).join('');
      default:
        return formatTable(batch, this.#padded(batch), { wide: format === 'wide', headers: headers && isFirst });
    }
  }

  #jsonHead(): string {
    return `{\n  "query": ${indented(this.#query)},\n  "actions": [\n`;
  }

  /** Columns never get narrower from one batch to the next. */
  #padded(batch: readonly AuditedAction[]): Column<AuditedAction>[] {
    return this.#columns.map((column, i) => {
      for (const action of batch) this.#widths[i] = Math.max(this.#widths[i]!, visible(column.cell(action)).length);
      const least = this.#written === 0 ? 0 : this.#widths[i]!;
      return { ...column, cell: (action) => (column.cell(action) || '<none>').padEnd(least) };
    });
  }
}

function indented(value: unknown, by = '  '): string {
  return formatJson(value).trimEnd().replaceAll('\n', `\n${by}`);
}
