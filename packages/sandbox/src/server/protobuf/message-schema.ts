// Reads the table of messages into something a codec can walk: fields by name for writing, by number for reading.
import { MESSAGE_TABLE } from './message-table.ts';

export interface MessageField {
  readonly number: number;
  readonly name: string;
  /** One letter for what has no fields, else the name of a message. */
  readonly type: string;
  readonly shape: 'one' | 'list' | 'map';
  /** Its own fields stand among the parent's in JSON. */
  readonly inline: boolean;
}

export interface MessageSchema {
  readonly fields: readonly MessageField[];
  readonly byNumber: ReadonlyMap<number, MessageField>;
}

/** Fields whose message is embedded in Go, so that JSON does not show them. */
const INLINE = new Set(['volumeSource', 'handler', 'ephemeralContainerCommon', 'localObjectReference']);

let schemas: ReadonlyMap<string, MessageSchema> | undefined;

/** Undefined for what is not in the table. The table is read when it is first needed. */
export function messageSchema(name: string): MessageSchema | undefined {
  schemas ??= new Map(
    MESSAGE_TABLE.trim()
      .split('\n')
      .map((line) => readLine(line)),
  );
  return schemas.get(name);
}

function readLine(line: string): [string, MessageSchema] {
  const at = line.indexOf(':');
  const fields = line
    .slice(at + 1)
    .split(';')
    .filter((part) => part.trim() !== '')
    .map(readField);
  return [line.slice(0, at), { fields, byNumber: new Map(fields.map((field) => [field.number, field])) }];
}

function readField(text: string): MessageField {
  const [number = '', name = '', written = ''] = text.trim().split(' ');
  const shape = written.endsWith('[]') ? 'list' : written.endsWith('{}') ? 'map' : 'one';
  const type = shape === 'one' ? written : written.slice(0, -2);
  return { number: Number(number), name, type, shape, inline: INLINE.has(name) };
}
