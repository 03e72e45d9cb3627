/// The pages that stand beside each other, of which one is open.
package struct PageRail: Sendable {
    package struct Entry: Sendable {
        package var path: String
        package var label: String
        package var icon: PageIcon
        /// Names the entries from this one on.
        package var heading: String?

        package init(path: String, label: String, icon: PageIcon, heading: String? = nil) {
            self.path = path
            self.label = label
            self.icon = icon
            self.heading = heading
        }
    }

    /// For screen readers.
    package var label: String
    package var entries: [Entry]
    /// The path of the open page.
    package var current: String

    package init(label: String, entries: [Entry], current: String) {
        self.label = label
        self.entries = entries
        self.current = current
    }

    func html(under head: HTML?) -> HTML {
        let items = entries.map { entry -> HTML in
            let mark: HTML = entry.path == current ? #" aria-current="page""# : ""
            let heading = entry.heading.map { #"<li class="group"><bdi>\#($0)</bdi></li>"# as HTML }
            return #"\#(heading)<li><a href="\#(entry.path)"\#(mark)>\#(entry.icon.html)\#(entry.label)</a></li>"#
        }
        return #"<nav class="rail" aria-label="\#(label)">\#(head)<ul>\#(items)</ul></nav>"#
    }
}
