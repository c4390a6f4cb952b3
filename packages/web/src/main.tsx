// Where the page begins: puts the frame into the document.
import { render } from 'preact';
import { Frame, type Views } from './frame/frame.tsx';
import { listenForKeys } from './frame/keys.ts';
import { applyTheme } from './frame/theme.ts';
import { AskView } from './views/ask/ask-view.tsx';
import { FeedView } from './views/feed/feed-view.tsx';
import { HealthView } from './views/health/health-view.tsx';
import { NodesView } from './views/nodes/nodes-view.tsx';
import { TrailView } from './views/trail/trail-view.tsx';

const VIEWS: Views = { ask: AskView, trail: TrailView, nodes: NodesView, feed: FeedView, health: HealthView };

applyTheme();
listenForKeys();
const root = document.getElementById('page');
if (root !== null) render(<Frame views={VIEWS} />, root);
