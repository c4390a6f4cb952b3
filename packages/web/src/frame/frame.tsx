// The frame around every view: name, navigation, cluster, zone, theme, keys. Called by main.tsx, which brings the views:
// they use the keys and the theme of the frame, and not the other way round.

import type { ComponentType } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Link } from '../address/link.tsx';
import { address, go } from '../address/location.ts';
import { sharedParameters, type ViewName } from '../address/page-address.ts';
import { isSignedOut, token } from '../api/session.ts';
import { copyText } from '../parts/copy-button.tsx';
import { useSignals } from '../parts/use-signals.ts';
import { absoluteUrl } from '../times/absolute-url.ts';
import { ahead, serverNow } from '../times/server-clock.ts';
import { wrongTimes } from '../times/wrong-times.ts';
import { zone } from '../times/zone.ts';
import { ClusterChoice } from './cluster-choice.tsx';
import { type Key, useKeys } from './keys.ts';
import { KeysHelp } from './keys-help.tsx';
import { SignIn } from './sign-in.tsx';
import { chooseTheme, isDark, THEMES, theme } from './theme.ts';
import { wrongValues } from './wrong-values.ts';
import { ZoneChoice } from './zone-choice.tsx';

const TITLES: Readonly<Record<ViewName, string>> = {
  ask: 'Ask',
  trail: 'Trail',
  nodes: 'Nodes',
  feed: 'Moves and changes',
  health: 'Health',
};

/** By the name of each. */
export type Views = Readonly<Record<ViewName, ComponentType>>;

export function Frame({ views }: { readonly views: Views }) {
  const [isHelpOpen, openHelp] = useState(false);
  const [said, say] = useState('');
  // What any view may depend on.
  useSignals(address, ahead, isDark, isSignedOut, theme, token, zone);
  const { view } = address.value;
  const keys = useMemo(
    (): readonly Key[] => [
      { key: '/', does: 'go to the question', run: focusQuestion },
      { key: '?', does: 'show the keys', run: () => openHelp(true) },
      { key: 'c', does: 'copy a link to what is shown', run: () => void copyLink().then(say) },
    ],
    [],
  );
  useKeys(keys);
  document.title = `${TITLES[view]} · podtrail`;
  const View = views[view];
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Link view="ask" class="brand">
          podtrail
        </Link>
        <nav aria-label="Views">
          {(Object.keys(TITLES) as ViewName[]).map((name) => (
            <Link key={name} view={name} isCurrent={name === view}>
              {TITLES[name]}
            </Link>
          ))}
        </nav>
        <div class="settings">
          <ClusterChoice />
          <ZoneChoice />
          <label>
            <span class="visually-hidden">Theme</span>
            <select value={theme.value} onChange={({ currentTarget }) => chooseTheme(currentTarget.value)}>
              {THEMES.map((name) => (
                <option key={name} value={name}>
                  {name === 'system' ? 'System theme' : name === 'light' ? 'Light' : 'Dark'}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => openHelp(true)} aria-label="Keys">
            ?
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <h1 class={view === 'ask' ? 'visually-hidden' : undefined}>{TITLES[view]}</h1>
        {[...wrongTimes(address.value, serverNow()), ...wrongValues(address.value)].map((text) => (
          <p key={text} class="complaint" role="alert">
            {text}
          </p>
        ))}
        {/* Begun again when the time turns out to be another. */}
        {isSignedOut.value ? <SignIn /> : <View key={ahead.value} />}
      </main>
      <div class="visually-hidden" role="status">
        {said}
      </div>
      {isHelpOpen && <KeysHelp onClose={() => openHelp(false)} />}
    </>
  );
}

/** With absolute times: whoever opens it tomorrow sees the same. */
async function copyLink(): Promise<string> {
  const isCopied = await copyText(absoluteUrl(address.peek(), serverNow()));
  return isCopied ? 'The link is copied' : 'Not copied: the browser does not allow it';
}

function focusQuestion(): void {
  const { view, parameters } = address.peek();
  if (view !== 'ask') go({ view: 'ask', parameters: sharedParameters(parameters) });
  // After the view is there.
  requestAnimationFrame(() => document.getElementById('question')?.focus());
}
