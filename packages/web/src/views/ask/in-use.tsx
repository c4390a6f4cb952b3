// Traffic as evidence: an address that sent or answered packets was somebody's, so that of one candidate it was that one.
// Only the reader knows whether it did.
import type { WhoDocument } from '@podtrail/history/wire';
import { Link } from '../../address/link.tsx';
import { address } from '../../address/location.ts';

export function InUse({ answer, isSeen }: { readonly answer: WhoDocument; readonly isSeen: boolean }) {
  const { seen: _, ...without } = address.value.parameters;
  if (isSeen) {
    return (
      <p class="muted">
        {answer.answer === 'held' && answer.basis === 'traffic'
          ? 'Only one pod can have used the address then.'
          : 'That the address was in use decides nothing here.'}{' '}
        <Link view="ask" parameters={without}>
          Ask without that
        </Link>
      </p>
    );
  }
  if (answer.answer !== 'ambiguous') return null;
  return (
    <p>
      Did the address send or answer packets then, as in a flow log?{' '}
      <Link view="ask" parameters={{ ...without, seen: 'true' }}>
        It was in use
      </Link>
    </p>
  );
}
