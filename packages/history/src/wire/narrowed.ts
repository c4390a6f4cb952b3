// That an asker sees a part of the ledger only: every document says so, whether or not anything was hidden, because
// otherwise that would tell.
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';

export { ALL_VISIBLE, type Visibility };

export function narrowedDocument({ kind }: Visibility): { readonly narrowed?: true } {
  return kind === 'all' ? {} : { narrowed: true };
}
