// What a PATCH makes of an object: the patch is applied by its media type, and the result is read as a typed server
// reads any object, with the real server's words where it does not fit. For objects, their status and their scale.
import { ApiStatusError, badRequest, invalid } from '../../api/api-status-error.ts';
import { kindProblem } from '../../api/body-checks.ts';
import { isObject, type JsonObject } from '../../api/json-object.ts';
import { goText } from '../../api/patches/go-text.ts';
import { applyJsonPatch } from '../../api/patches/json-patch.ts';
import { applyMergePatch } from '../../api/patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../../api/patches/strategic-merge-patch.ts';
import { patchingView } from '../event-view.ts';
import { readTyped, readTypedMetadata, UnfitValue } from '../typed/typed-object.ts';
import { CONVERTING, DECODING } from '../typed/words.ts';
import {
  type BodyKind,
  type FieldValidation,
  readFieldValidation,
  strictWords,
  warningHeaders,
} from './known-fields.ts';
import { mediaType, notAnObject, parsePatch } from './request-body.ts';
import type { ResourceRequest } from './resources.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';

export class Patching {
  readonly #mediaType: string;
  readonly #body: Buffer;
  readonly #kind: BodyKind;
  readonly #validation: FieldValidation;
  readonly #apply: (current: unknown) => unknown;
  #unknown: readonly string[] = [];

  /** The body is not looked at yet: whether the object is there comes first. */
  constructor({ type, info, message, body, eventView }: ResourceRequest, kind: BodyKind) {
    this.#mediaType = mediaType(message);
    this.#body = body;
    this.#kind = kind;
    this.#validation = readFieldValidation(info.query);
    const known = type.custom ? [JSON_PATCH, MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH];
    if (!known.includes(this.#mediaType)) throw unknownPatch(type.custom);
    const apply = (current: unknown) => this.#applied(current);
    this.#apply = eventView ? patchingView(apply) : apply;
  }

  readonly produce = (current: unknown): unknown => {
    const patched = this.#apply(current);
    if (!isObject(patched)) throw this.#refused(patched, notAnObject(patched));
    return this.#typed(patched, current as JsonObject);
  };

  /** Warnings about what was produced. */
  get headers(): Record<string, string> {
    return warningHeaders(this.#unknown, this.#validation);
  }

  #applied(current: unknown): unknown {
    if (this.#mediaType === JSON_PATCH) return applyJsonPatch(current, parsePatch(this.#body, DECODING_PATCH));
    if (this.#mediaType === MERGE_PATCH) {
      const patch = parsePatch(this.#body, DECODING_PATCH);
      if (patch === null) throw badRequest('Invalid JSON Patch');
      return applyMergePatch(current, objectOf(patch, DECODING_PATCH));
    }
    return applyStrategicMergePatch(current, objectOf(parsePatch(this.#body, '') ?? {}, ''));
  }

  #typed(patched: JsonObject, { kind, apiVersion }: JsonObject): unknown {
    const isConverted = this.#mediaType === STRATEGIC_PATCH;
    const { type } = this.#kind;
    const isCustom = type?.custom === true;
    const problem = isConverted || isCustom || type === undefined ? undefined : kindProblem(type, patched);
    if (problem !== undefined) throw this.#refused(patched, problem);
    try {
      const words = isConverted ? CONVERTING : DECODING;
      const { object, unknown } = isCustom
        ? readTypedMetadata(patched, words)
        : readTyped(this.#kind.kind, patched, words);
      this.#unknown = isConverted ? unknown.toSorted() : unknown;
      if (unknown.length > 0 && this.#validation === 'Strict') throw this.#refused(patched, strictWords(this.#unknown));
      // A conversion goes by the type, whatever kind the map says.
      return isConverted ? { ...(object as JsonObject), kind, apiVersion } : object;
    } catch (error) {
      throw error instanceof UnfitValue ? this.#refused(patched, error.message) : error;
    }
  }

  #refused(patched: unknown, why: string): ApiStatusError {
    const shown = this.#mediaType === STRATEGIC_PATCH ? goText(parsePatch(this.#body, '')) : JSON.stringify(patched);
    return invalid({ kind: '', group: '' }, '', [
      { field: 'patch', reason: 'Invalid', value: JSON.stringify(shown), detail: why },
    ]);
  }
}

const DECODING_PATCH = 'error decoding patch: ';

function objectOf(patch: unknown, prefix: string): JsonObject {
  if (isObject(patch)) return patch;
  const word = Array.isArray(patch) ? 'array' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  throw badRequest(`${prefix}json: cannot unmarshal ${word} into Go value of type map[string]interface {}`);
}

/** Custom resources have a handler of their own on the real server, and with it words of their own. */
function unknownPatch(isCustom: boolean): ApiStatusError {
  if (!isCustom) return new ApiStatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return new ApiStatusError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  );
}
