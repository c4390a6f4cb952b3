// How large a store may become, and how much of annotation changes goes into it: flags of whoever records, and the limit
// also of `doctor`, which looks how far it is.
import {
  type ChangeBudgets,
  DEFAULT_CHANGE_BUDGETS,
  DEFAULT_SIZE_LIMIT,
  parseSize,
  parseSizeLimit,
  type SizeLimit,
} from '@podtrail/history';
import type { Command } from 'commander';
import type { CommandEnv } from '../command-env.ts';
import { UsageError } from '../errors.ts';

export interface StoreLimitOptions {
  readonly storeLimit?: SizeLimit;
}

export interface RecordingSizeOptions extends StoreLimitOptions {
  readonly changeBudgetPod?: number;
  readonly changeBudgetNamespace?: number;
}

const VARIABLE = 'PODTRAIL_STORE_LIMIT';

export function withStoreLimit(command: Command): Command {
  return command.option(
    '--store-limit <size>',
    `largest size of the store, as 8Gi or 80% of its volume; default: ${VARIABLE}, else 80%`,
    (text) => limitOf('--store-limit', text),
  );
}

export function withRecordingSizes(command: Command): Command {
  return withStoreLimit(command)
    .option(
      '--change-budget-pod <size>',
      'annotation changes recorded for each pod and hour, others are counted; default: 1Mi',
      sizeOf('--change-budget-pod'),
    )
    .option(
      '--change-budget-namespace <size>',
      'the same for all pods of each namespace together; default: 32Mi',
      sizeOf('--change-budget-namespace'),
    );
}

export const SIZES_HELP = `
The store keeps itself within --store-limit: from nine tenths of it on the oldest annotation changes go, at the limit
the oldest weeks, then days, and the hours of today last. Answers about what went are "unknown" (expired), never "free".`;

export function storeLimit({ storeLimit: given }: StoreLimitOptions, { env }: Pick<CommandEnv, 'env'>): SizeLimit {
  const text = env[VARIABLE];
  return given ?? (text === undefined || text === '' ? DEFAULT_SIZE_LIMIT : limitOf(VARIABLE, text));
}

export function changeBudgets(options: RecordingSizeOptions): ChangeBudgets {
  return {
    pod: options.changeBudgetPod ?? DEFAULT_CHANGE_BUDGETS.pod,
    namespace: options.changeBudgetNamespace ?? DEFAULT_CHANGE_BUDGETS.namespace,
  };
}

function limitOf(name: string, text: string): SizeLimit {
  const limit = parseSizeLimit(text);
  if (limit !== undefined) return limit;
  throw new UsageError(
    `${name} ${text} is no size of a store`,
    'write 8Gi, or a share of its volume up to 90%, as 80%.',
  );
}

function sizeOf(flag: string): (text: string) => number {
  return (text) => {
    const bytes = parseSize(text);
    if (bytes !== undefined) return bytes;
    throw new UsageError(`${flag} ${text} is no size`, 'write 1Mi or 512Ki; 0 records none and counts all.');
  };
}
