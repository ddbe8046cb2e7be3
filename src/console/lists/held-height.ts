/**
 * Keeps an element as high as it is until the result is called. WebKit lays a size container out once before what is new in
 * it, and a page or a box that is too low for that moment is scrolled to another place.
 */
export function holdHeight(element: HTMLElement | null | undefined): () => void {
  if (element) element.style.minHeight = `${element.getBoundingClientRect().height}px`;
  return () => element?.style.removeProperty("min-height");
}
