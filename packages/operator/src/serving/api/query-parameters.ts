// The parameters of a query string as JSON values, by the schema of a question: whole numbers, booleans, lists with
// commas. Whether they are right is the schema's business; what cannot be read at all is refused here. Routes that are no
// questions of the catalogue check them here, too, in the catalogue's words.
import { checkedParameters } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import { Problem } from '../problem.ts';
import { historyProblem } from './history-problems.ts';

type Coerce = (text: string) => unknown;

/** How each parameter of a schema is read. */
export class QueryParameters<Schema extends z.ZodObject = z.ZodObject> {
  readonly #schema: Schema;
  readonly #coerce = new Map<string, Coerce>();

  constructor(parameters: Schema) {
    this.#schema = parameters;
    const { properties = {} } = z.toJSONSchema(parameters, { io: 'input' });
    for (const [name, schema] of Object.entries(properties))
      this.#coerce.set(name, coerceTo((schema as { readonly type?: unknown }).type));
  }

  /** `query` without its question mark. Names that the schema does not have are kept: it refuses them, with its names. */
  read(query: string): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const pair of query.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
      if (Object.hasOwn(values, name)) {
        throw new Problem(400, 'bad-parameter', `${name} is given twice`, {
          hint: 'give each parameter once; several values of one are separated by commas.',
        });
      }
      const text = decoded(equals === -1 ? '' : pair.slice(equals + 1));
      const coerce = this.#coerce.get(name);
      if (coerce !== undefined) values[name] = coerce(text);
      // Whatever its name is, it is a field: __proto__ is no other than the rest.
      else Object.defineProperty(values, name, { value: text, enumerable: true, configurable: true, writable: true });
    }
    return values;
  }

  /** The same as the schema has them; rejects with a Problem that names the parameter. `name`: of the route, for people. */
  checked(name: string, query: string): z.output<Schema> {
    try {
      return checkedParameters({ name, parameters: this.#schema }, this.read(query)) as z.output<Schema>;
    } catch (error) {
      throw historyProblem(error);
    }
  }
}

function coerceTo(type: unknown): Coerce {
  switch (type) {
    case 'integer':
    case 'number':
      return (text) => (/^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text);
    case 'boolean':
      return (text) => (text === 'true' ? true : text === 'false' ? false : text);
    case 'array':
      return (text) => text.split(',');
    default:
      return asText;
  }
}

function asText(text: string): string {
  return text;
}

/** A plus is a plus, as in 2026-11-15T10:05:00+01:00: no value of ours has a blank in it that a form would write so. */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(400, 'bad-parameter', 'the query is not encoded as UTF-8 in percents', {
      hint: 'write % as %25.',
    });
  }
}
