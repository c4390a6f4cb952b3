// Reads a request's body up to the real server's limit and turns it into JSON, with its words where that fails.
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { ApiStatusError, badRequest } from '../../api/api-status-error.ts';
import { isObject } from '../../api/json-object.ts';
import { PROTOBUF } from '../content-negotiation.ts';
import { unseal } from '../protobuf/envelope.ts';

const LARGEST_BODY = 3 * 1024 * 1024;

export async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) {
      message.resume();
      throw tooLarge();
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  return message.headers['content-encoding'] === 'gzip' ? inflate(body) : body;
}

/** The limit is that of what it becomes: a megabyte of zeros is a kilobyte of gzip. */
function inflate(body: Buffer): Buffer {
  try {
    return gunzipSync(body, { maxOutputLength: LARGEST_BODY });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw badRequest(`the body is not gzip, as its Content-Encoding says: ${(error as Error).message}`);
  }
}

function tooLarge(): ApiStatusError {
  return new ApiStatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LARGEST_BODY}`);
}

export function mediaType(message: IncomingMessage): string {
  return (message.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The object in a body, in JSON or in protobuf. */
export function readObject(message: IncomingMessage, body: Buffer, kind: string): unknown {
  const type = mediaType(message);
  if (type === PROTOBUF) return unseal(body, kind);
  if (type === 'application/json' || type === '') return parseObject(body, kind);
  throw new ApiStatusError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  );
}

function parseObject(body: Buffer, kind: string): unknown {
  const text = body.toString();
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): ${notAnObject(value)} (${body.toString('hex')})`,
    );
  } catch (error) {
    if (error instanceof ApiStatusError) throw error;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${goWords(text, error)} (${excerpt(text)})`,
    );
  }
}

/** `prefix` is what the refusal begins with. */
export function parsePatch(body: Buffer, prefix: string): unknown {
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`${prefix}${goWords(text, error)}`);
  }
}

/** The commonest of Go's words for broken JSON. */
function goWords(text: string, error: unknown): string {
  const at = /position (\d+)/.exec((error as Error).message)?.[1];
  const sign = at === undefined ? undefined : text[Number(at)];
  if (sign === undefined) return 'unexpected end of JSON input';
  const before = text.slice(0, Number(at)).trimEnd().at(-1);
  const place = before === '{' ? 'object key string' : 'value';
  return `invalid character '${sign}' looking for beginning of ${place}`;
}

/** What is said of JSON that is no object, where one was to be read. */
export function notAnObject(value: unknown): string {
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const target =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${target}`;
}

/** As much of a body as a refusal shows: text of what may be JSON, else hexadecimal digits. */
export function excerpt(text: string): string {
  if (text === '') return '<empty>';
  const bytes = Buffer.from(text);
  const shown = bytes.subarray(0, MOST_SHOWN);
  return `${text.startsWith('{') ? shown.toString() : shown.toString('hex')}${bytes.length > MOST_SHOWN ? ' ...' : ''}`;
}

const MOST_SHOWN = 30;
