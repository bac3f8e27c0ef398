// Of plots, axes, grids: the page's colours. drawn: what is drawn in them, by name; steps: by name their colours on light
// and on dark paper.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const of_steps = steps instanceof Map ? steps : new Map(Object.entries(steps));

function paint() {
  const style = getComputedStyle(document.documentElement);
  const [ink, pale, line] = ["--ink", "--pale", "--line"].map((name) => style.getPropertyValue(name).trim());
  for (const plot of plots) plot.title.text_color = ink;
  for (const grid of grids) grid.grid_line_color = line;
  for (const axis of axes) {
    axis.axis_label_text_color = pale;
    axis.major_label_text_color = ink;
    axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = line;
  }
  for (const {name, glyph} of drawn) {
    if (!of_steps.has(name)) continue;
    glyph.fill_color = of_steps.get(name)[dark.matches ? 1 : 0];
    if (glyph.line_color !== null) glyph.line_color = glyph.fill_color;
  }
}

for (const button of document.querySelectorAll("[data-hides]"))
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    const plot = plots[Number(button.dataset.plot)];
    for (const renderer of plot.renderers) if (renderer.name === button.dataset.hides) renderer.visible = shown;
  });
dark.addEventListener("change", paint);
paint();
