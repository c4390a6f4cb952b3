// A link to another state of the page: a real one, that can be copied and opened in a new tab.
import type { ComponentChildren } from 'preact';
import { address, go } from './location.ts';
import { type Parameters, printAddress, sharedParameters, type ViewName } from './page-address.ts';

export interface LinkProps {
  readonly view: ViewName;
  readonly parameters?: Parameters | undefined;
  readonly class?: string | undefined;
  readonly title?: string | undefined;
  readonly isCurrent?: boolean | undefined;
  readonly children: ComponentChildren;
}

export function Link({ view, parameters, class: name, title, isCurrent, children }: LinkProps) {
  const to = { view, parameters: { ...sharedParameters(address.value.parameters), ...parameters } };
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={printAddress(to)}
      class={name}
      title={title}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onClick}
    >
      {children}
    </a>
  );
}
