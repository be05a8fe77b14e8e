/**
 * Message between the tabs of a browser about their shared session: it was extended, the user has signed out, it has
 * ended otherwise, or a user has signed in.
 */
type News = { endsAt: number } | 'signed_out' | 'ended' | 'signed_in';

type Message = { news: News; from: number };

const NAME = 'carelane-session';
/** For news that pages of earlier releases do not know. */
const LOCK_NAME = 'carelane-session-lock';
const nameOf = (news: News) => (news === 'ended' || news === 'signed_in' ? LOCK_NAME : NAME);
/** Identifies a page by its start time. */
const thisPage = () => performance.timeOrigin;

export function notifyTabs(news: News): void {
  const channel = new BroadcastChannel(nameOf(news));
  channel.postMessage({ news, from: thisPage() } satisfies Message);
  channel.close();
}

/** @returns a function that stops listening */
export function listenToTabs(onNews: (news: News) => void): () => void {
  const channels = [NAME, LOCK_NAME].map((name) => new BroadcastChannel(name));
  // The page's own other channels receive the message, too.
  const onMessage = ({ data }: MessageEvent<Message>) => data.from !== thisPage() && onNews(data.news);
  for (const channel of channels) channel.onmessage = onMessage;
  return () => {
    for (const channel of channels) channel.close();
  };
}
