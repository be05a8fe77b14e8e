/** What lies between a modal and the page. */
export const overlayStyle = 'fixed inset-0 z-50 animate-fade bg-overlay';
