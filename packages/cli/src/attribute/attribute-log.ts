// The rows of a request, attributed as those of a file are: what `podtrail serve` gives to the route of that name.
import { type AttributeLog, Problem } from '@podtrail/operator/serving';
import { CliError, UsageError } from '../errors.ts';
import { parseZone } from '../times/zone.ts';
import { attributeStream } from './attribute-stream.ts';
import { inputsOf } from './input.ts';

export const attributeLog: AttributeLog = async ({ input, write, parameters, ledger, signal }) => {
  const { format, ip = [], time, end, prefix, columns, traffic, timezone, headers, output } = parameters;
  try {
    const zone = timezone === undefined ? undefined : parseZone(timezone);
    if (timezone !== undefined && zone === undefined) {
      throw new UsageError(
        `there is no time zone ${timezone}`,
        'use a name as Europe/Berlin, an offset as +02:00, or UTC.',
      );
    }
    await attributeStream({
      inputs: inputsOf(['-'], { stdin: input, readFile: noFile, filesIn: async () => undefined }),
      out: { isTTY: false, write: async (text) => await write(text) },
      columns: { ...{ format, ips: ip, prefixes: prefix, time, end, columns, traffic } },
      ...{ format: output, headers, zone, ledger, signal },
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new Problem(400, `attribute-${error.code}`, asParameters(error.message), {
      hint: error.hint === undefined ? undefined : asParameters(error.hint),
      cause: error,
    });
  }
};

/** The command's sentences name flags; here they are parameters of the same names. */
function asParameters(sentence: string): string {
  return sentence
    .replaceAll('podtrail attribute - ...', 'curl -T - …')
    .replaceAll(/--([a-z]+) (?=\S)/g, '$1=')
    .replaceAll(/--([a-z]+)/g, '$1');
}

/** There is one input, and it is the request. */
function noFile(): never {
  throw new Error('a request has no files');
}
