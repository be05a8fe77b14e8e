const KEY = 'carelane-checkout';

/**
 * The link's token: from the address's fragment, which no server sees, or, for a patient whom a bank sent back here,
 * from this tab's memory. A bank's answer in the query is dropped from the address: the server asks the processor.
 */
export function takeCheckoutToken(): string | null {
  const inAddress = window.location.hash.slice(1);
  if (inAddress) sessionStorage.setItem(KEY, inAddress);
  if (window.location.search) window.history.replaceState(null, '', window.location.pathname + window.location.hash);
  return inAddress || sessionStorage.getItem(KEY);
}
