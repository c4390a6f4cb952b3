// By what rows of the head are looked for, and the handles that stand for it there. HeadReader and questions.ts use it.
import type { IpAddress } from '../../../model/ip-address.ts';
import type { Subject } from '../../snapshot.ts';
import { handleOf } from '../format/checksum.ts';
import type { IndexedColumn } from './secondary-index.ts';

/** How rows are looked for. */
export type Lookup =
  | { readonly column: 'ip'; readonly ip: IpAddress }
  | { readonly column: IndexedColumn; readonly handle: number };

/** By what is asked for of a subject. */
export function lookupOf(subject: Subject): SubjectLookup {
  switch (subject.by) {
    case 'uid':
      return { column: 'uid', handle: handleOf(subject.uid) };
    case 'name':
      return { column: 'name', handle: handleOf(subject.namespace, subject.name) };
    case 'workload':
      return { column: 'workload', handle: handleOf(subject.namespace, subject.kind, subject.name) };
  }
}

interface SubjectLookup {
  readonly column: 'uid' | 'name' | 'workload';
  readonly handle: number;
}
