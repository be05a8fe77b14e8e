/** Message between the tabs of a browser: their shared session was extended, or is over. */
type News = { endsAt: number } | 'signed_out';

type Message = { news: News; from: number };

const NAME = 'carelane-session';
/** Identifies a page by its start time. */
const thisPage = () => performance.timeOrigin;

export function notifyTabs(news: News): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ news, from: thisPage() } satisfies Message);
  channel.close();
}

/** @returns a function that stops listening */
export function listenToTabs(onNews: (news: News) => void): () => void {
  const channel = new BroadcastChannel(NAME);
  // The page's own other channels receive the message, too.
  channel.onmessage = ({ data }: MessageEvent<Message>) => data.from !== thisPage() && onNews(data.news);
  return () => channel.close();
}

/** Ends the session at the server and leaves the portal, in every tab of this browser. */
export async function signOut(): Promise<void> {
  const nextAuth = await import('next-auth/react');
  await nextAuth.signOut({ redirect: false });
  notifyTabs('signed_out');
  window.location.assign('/sign-in');
}
