// Shows what was typed into the fields of passwords, as long as the box below them is checked.

for (const box of document.querySelectorAll("input[data-shows]")) {
  const field = document.getElementById(box.dataset.shows);
  box.addEventListener("change", () => {
    field.type = box.checked ? "text" : "password";
  });
  // A browser offers to store a password only.
  field.form.addEventListener("submit", () => {
    field.type = "password";
  });
}
