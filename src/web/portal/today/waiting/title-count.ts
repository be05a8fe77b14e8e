const COUNT = /^\(\d+\) /;

/** "(2) Today · Carelane", or the title alone where the count is zero. */
export const withCount = (title: string, count: number): string =>
  `${count > 0 ? `(${count}) ` : ''}${title.replace(COUNT, '')}`;

/**
 * Adds the count to the page's title, also when other code sets the title.
 * @returns a function that stops this and removes the count
 */
export function showCountInTitle(count: number): () => void {
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
