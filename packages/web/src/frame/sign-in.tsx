// Shown where the server does not know who asks: on one's own machine the way back is a new URL, in a cluster a token.
import { useState } from 'preact/hooks';
import { signIn, token } from '../api/session.ts';

export function SignIn() {
  const [text, setText] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    signIn(text);
  };
  const isLocal = /^(?:127\.|localhost$|\[::1\]$)/.test(location.hostname);
  return (
    <section class="card" aria-labelledby="sign-in">
      <h2 id="sign-in">{token.value === undefined ? 'Who is asking?' : 'This token was not taken'}</h2>
      {isLocal && (
        <p>
          Open the URL that <code>podtrail serve</code> or <code>npm start</code> printed: it works once, in one
          browser. If it was used already, start it again.
        </p>
      )}
      <p>
        {isLocal && 'Or paste the token for scripts, which sees all. '}
        Of an operator paste a token of <code>kubectl create token NAME -n NAMESPACE --audience podtrail</code>: you see
        the namespaces in which its owner may list pods.
      </p>
      <form onSubmit={submit} class="row">
        <label>
          Token{' '}
          <input
            type="password"
            autoComplete="off"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={text.trim() === ''}>
          Use it
        </button>
      </form>
      <p class="muted small">It is kept for this tab only, and sent to this server only.</p>
    </section>
  );
}
