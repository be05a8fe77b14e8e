/** The backdrop of a modal. */
export const overlayStyle = 'fixed inset-0 z-50 animate-fade bg-overlay';
