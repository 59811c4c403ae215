(() => {
  const figures = [...document.querySelectorAll("figure")];
  let width = 0;

  function drawAll() {
    width = innerWidth;
    figures.forEach((figure, place) => {
      const { kind, ...chart } = data.figures[place];
      drawFigure(figure, kind, chart, {});
    });
  }

  for (const details of document.querySelectorAll("figure details")) details.open = false;
  // Telephones also report that the bar with the address comes and goes
  addEventListener("resize", after(() => innerWidth !== width && drawAll()));
  drawAll();
})();
