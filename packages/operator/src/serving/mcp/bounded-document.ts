// The document of a tool, short enough for a model to read whole. What is left out is said in a `note`, with the call that
// gives the rest.
import type { Ask, Tool, ToolInput } from './tool.ts';

/** About 25,000 tokens. */
export const MOST_ANSWER_BYTES = 100_000;
/** The rest is for what is put around the document. */
const MOST_DOCUMENT_BYTES = 98_000;
/** Records in one answer, unless the caller says otherwise. */
export const DEFAULT_RECORDS = 20;
const MOST_GAPS = 20;
/** So many of each list are tried, one after the other, until the document fits. */
const LIST_LENGTHS = [200, 100, 50, 20, 10, 5, 1];

interface Found {
  readonly note?: string;
  readonly coverage?: { readonly gaps: readonly unknown[] };
}

export async function boundedDocument(tool: Tool, ask: Ask, input: ToolInput): Promise<object> {
  const read = async (limit?: number) => {
    const found: Found = await tool.run(ask, limit === undefined ? input : { ...input, limit });
    return tool.list === 'gaps' ? found : withFewGaps(found);
  };
  const found = await read();
  if (bytesOf(found) <= MOST_DOCUMENT_BYTES) return found;
  return tool.list === undefined ? withShortLists(found) : await onShorterPage(found, tool.list, input, read);
}

/** The same page with fewer records: its cursor goes on behind the last one. */
async function onShorterPage(
  tooLong: Found,
  list: string,
  { limit: wanted = DEFAULT_RECORDS }: ToolInput,
  read: (limit: number) => Promise<Found>,
): Promise<Found> {
  let found = tooLong;
  let limit = wanted as number;
  for (let bytes = bytesOf(found); bytes > MOST_DOCUMENT_BYTES && limit > 1; bytes = bytesOf(found)) {
    // Records differ in size: a little less than what fits on average.
    limit = Math.max(1, Math.min(limit - 1, Math.floor((limit * MOST_DOCUMENT_BYTES * 0.9) / bytes)));
    found = await read(limit);
  }
  const records = (found as Readonly<Record<string, readonly unknown[]>>)[list] ?? [];
  return noted(
    found,
    `${list} is cut to ${records.length}, because more do not fit: call again with the same input and this \`cursor\`.`,
  );
}

function withFewGaps(found: Found): Found {
  const { coverage } = found;
  if (coverage === undefined || coverage.gaps.length <= MOST_GAPS) return found;
  const cut = { ...found, coverage: { ...coverage, gaps: coverage.gaps.slice(0, MOST_GAPS) } };
  const note = `coverage has the first ${MOST_GAPS} of ${coverage.gaps.length} gaps: call coverage with the same time for all.`;
  return noted(cut, note);
}

/** Of a document about one thing: the last of each list, and of evidence all that the verdict rests on. */
function withShortLists(found: Found): Found {
  let cut = found;
  for (const most of LIST_LENGTHS) {
    const left: string[] = [];
    const fields = Object.entries(found).map(([name, value]: [string, unknown]) => {
      if (!Array.isArray(value) || value.length <= most) return [name, value];
      const kept = shortened(value, most);
      left.push(`${name}: ${kept.length} of ${value.length}`);
      return [name, kept];
    });
    cut = noted(Object.fromEntries(fields) as Found, `lists are cut, because more does not fit (${left.join(', ')}).`);
    if (bytesOf(cut) <= MOST_DOCUMENT_BYTES) break;
  }
  return cut;
}

function shortened(list: readonly { readonly used?: boolean }[], most: number): readonly unknown[] {
  const used = list.filter((item) => item.used === true).length;
  const others = list.length - used;
  const skipped = Math.min(others, list.length - most);
  let passed = 0;
  return list.filter((item) => item.used === true || ++passed > skipped);
}

function noted(found: Found, note: string): Found {
  return { ...found, note: found.note === undefined ? note : `${found.note} ${note}` };
}

function bytesOf(document: object): number {
  return Buffer.byteLength(JSON.stringify(document));
}
