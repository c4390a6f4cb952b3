// The records of the ledger under the names that the commands use, read off the engine's own signatures.
import type { Answer, Engine } from '@podtrail/history';

type ItemsOf<K extends 'tenuresOf' | 'placementsOf' | 'changesOf'> = Awaited<ReturnType<Engine[K]>>['items'][number];

export type Tenure = ItemsOf<'tenuresOf'>;
export type Placement = ItemsOf<'placementsOf'>;
export type Change = ItemsOf<'changesOf'>;
export type Coverage = Awaited<ReturnType<Engine['coverage']>>[number];
export type Boundary = Tenure['start'];
export type Holder = Tenure['holder'];
export type AnsweredHolder = Answer['holders'][number];
export type Subject = Parameters<Engine['tenuresOf']>[1];
export type Span = Parameters<Engine['tenuresOf']>[2];
