const COUNT = /^\(\d+\) /;

/** "(2) Today · Carelane", or the title alone where nobody is counted. */
export const withCount = (title: string, count: number): string =>
  `${count > 0 ? `(${count}) ` : ''}${title.replace(COUNT, '')}`;

/**
 * Keeps the count in the page's title, whoever else sets it meanwhile.
 * @returns how to stop, which takes it out
 */
export function countInTitle(count: number): () => void {
  const keep = () => {
    const wanted = withCount(document.title, count);
    if (document.title !== wanted) document.title = wanted;
  };
  keep();
  const watch = new MutationObserver(keep);
  watch.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => {
    watch.disconnect();
    document.title = withCount(document.title, 0);
  };
}
