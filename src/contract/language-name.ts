/** The English name, for example "Austrian German". */
export const languageName = (tag: string): string => new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
