/** Whether items fit a pattern in which `star` stands for any number of items. Takes at most the product of both lengths. */
export function fitsWildcard<T>(pattern: ArrayLike<T>, items: ArrayLike<T>, star: T): boolean {
  let at = 0;
  let lastStar = -1;
  let retry = 0;
  for (let position = 0; position < items.length; ) {
    if (at < pattern.length && pattern[at] === star) {
      lastStar = at++;
      retry = position;
    } else if (at < pattern.length && pattern[at] === items[position]) {
      at++;
      position++;
    } else if (lastStar >= 0) {
      at = lastStar + 1;
      position = ++retry;
    } else return false;
  }
  while (at < pattern.length && pattern[at] === star) at++;
  return at === pattern.length;
}
