// The rows of a request, attributed as those of a file are: what `podtrail serve` gives to the route of that name.
import { type AttributeLog, Problem } from '@podtrail/operator/serving';
import { CliError, UsageError } from '../errors.ts';
import { parseZone } from '../times/zone.ts';
import { attributeStream, EmptyInput } from './attribute-stream.ts';
import { FORMAT_NAMES } from './choose-format.ts';
import { inputsOf } from './input.ts';
import { SERVED_LIMITS } from './log-limits.ts';

export const attributeLog: AttributeLog = async ({ input, write, parameters, ledger, signal }) => {
  const { format, ip = [], time, end, prefix, columns, traffic, timezone, headers, output } = parameters;
  try {
    if (format !== undefined && !FORMAT_NAMES.includes(format))
      throw new UsageError(`there is no format ${format}`, `choose one of ${FORMAT_NAMES.join(', ')}.`);
    const zone = timezone === undefined ? undefined : parseZone(timezone);
    if (timezone !== undefined && zone === undefined) {
      throw new UsageError(
        `there is no time zone ${timezone}`,
        'use a name as Europe/Berlin, an offset as +02:00, or UTC.',
      );
    }
    await attributeStream({
      inputs: inputsOf(['-'], { stdin: input, readFile: noFile, filesIn: async () => undefined }, SERVED_LIMITS),
      out: { isTTY: false, write: async (text) => await write(text) },
      columns: { ...{ format, ips: ip, prefixes: prefix, time, end, columns, traffic } },
      ...{ format: output, headers, zone, ledger, signal, limits: SERVED_LIMITS, yieldTurn },
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new Problem(400, `attribute-${error.code}`, asParameters(error.message), {
      hint: hintOf(error),
      cause: error,
    });
  }
};

/** Whatever else this process does: it watches the cluster, and answers others. */
function yieldTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** There is no path and no output yet: what is wrong is the body. */
function hintOf(error: CliError): string | undefined {
  const { code, hint } = error;
  if (error instanceof EmptyInput) return 'send the rows as the body of the request.';
  if (code === 'damaged-archive') return 'pack the log again, or send it unpacked.';
  return hint === undefined ? undefined : asParameters(hint);
}

/**
 * The command's sentences name flags; here they are parameters of the same names, with an equals sign where a value is
 * behind it, and not where the sentence goes on.
 */
function asParameters(sentence: string): string {
  return sentence
    .replaceAll('podtrail attribute - ...', 'curl -X POST -T - …')
    .replaceAll(/--([a-z]+) (?=\S)(?!(?:and|is)\b)/g, '$1=')
    .replaceAll(/--([a-z]+)/g, '$1');
}

/** There is one input, and it is the request. */
function noFile(): never {
  throw new Error('a request has no files');
}
