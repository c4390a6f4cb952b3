// What two servers may write differently without differing: what they draw, what the clock says, and what is not set.
import type { Answer, Json } from '../raw-client.ts';

export function normalAnswer({ status, json, text }: Answer): Json {
  return { status, body: json === undefined ? text : normalBody(json) };
}

export function normalBody(body: Json): Json {
  const parsed = JSON.parse(JSON.stringify(body), (key, value) => {
    // Order of writes is compared through watches; the numbers themselves are the server's own.
    if (key === 'managedFields' || key === 'resourceVersion' || key === 'continue') return undefined;
    if (key === 'uid' || key === 'controller-uid' || key === 'batch.kubernetes.io/controller-uid') return 'UID';
    if (value === null || JSON.stringify(value) === '{}') return undefined;
    if (key === 'causes' && Array.isArray(value)) return unrepeated(value);
    return typeof value === 'string' ? maskText(value) : value;
  });
  return parsed?.kind === 'Table' ? withoutAges(parsed) : parsed;
}

/** The real server checks some things twice and then names the cause as often; its message names it once. */
function unrepeated(causes: readonly Json[]): Json[] {
  return [...new Map(causes.map((cause) => [JSON.stringify(cause), cause])).values()];
}

function maskText(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replace(/\b10\.96\.\d+\.\d+\b/g, 'CLUSTER-IP')
      .replace(/ResourceVersion in (the precondition|record) \(\d+\)/g, 'ResourceVersion in $1 (VERSION)')
      // After this sentence the real server prints the difference as Go would write it.
      .replace(/(pod updates may not change fields other than [^\n]*previously negative\))[\s\S]*/, '$1')
      // The whole object that a patch would have made, with what the servers draw and the real one's managedFields.
      .replace(/Invalid value: "\{[\s\S]*\}": /, 'Invalid value: OBJECT: ')
      .replace(/, ResourceVersion: \d+,/g, ', ResourceVersion: VERSION,')
  );
}

/** Descriptions of columns are prose; ages pass. */
function withoutAges(table: Json): Json {
  const ages = table.columnDefinitions?.findIndex(({ name }: Json) => name === 'Age') ?? -1;
  return {
    ...table,
    columnDefinitions: table.columnDefinitions?.map(({ name, type, format, priority }: Json) => ({
      name,
      type,
      format,
      priority,
    })),
    rows: table.rows?.map((row: Json) => ({
      ...row,
      cells: row.cells.map((cell: Json, index: number) => (index === ages ? 'AGE' : cell)),
    })),
  };
}
