// What stands where a listing is empty: which reason applies, and what to do.
import { Empty } from './states.tsx';
import { type EmptyListing, whyEmpty } from './why-empty.ts';

export function NothingListed(listing: EmptyListing) {
  const { title, text } = whyEmpty(listing);
  return <Empty title={title}>{text}</Empty>;
}
