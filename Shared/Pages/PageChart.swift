package import Vocabulary

/// Bars for periods, stacked by series. The server draws them as SVG without style or script: the stylesheet has the colors,
/// also for dark and forced colors. Beside the drawing stand a sentence, and a link to all values as a table: tables of all
/// charts would double the weight of a page.
package struct PageChart: Sendable {
    package enum Tone: String, Sendable {
        /// The steps of one hue.
        case first, second, third, fourth, fifth, sixth
        case warn, bad
    }

    package struct Series: Sendable {
        package var label: String
        package var tone: Tone
        /// One of each period.
        package var values: [Int64]

        package init(_ label: String, _ tone: Tone, _ values: [Int64]) {
            self.label = label
            self.tone = tone
            self.values = values
        }
    }

    /// The values as a table.
    package enum Table: Sendable {
        /// Behind this link with its label.
        case behind(address: String, label: String)
        /// With the title of the column of periods.
        case shown(period: String)
    }

    /// Unique on the page.
    package var id: String
    package var title: String
    /// What the bars show, in a sentence.
    package var summary: String
    package var periods: [String]
    package var series: [Series]
    package var table: Table
    package var language: Language
    /// How a value is written.
    package var format: @Sendable (Int64) -> String

    package init(
        id: String, title: String, summary: String, periods: [String], series: [Series], table: Table,
        language: Language,
        format: @escaping @Sendable (Int64) -> String
    ) {
        self.id = id
        self.title = title
        self.summary = summary
        self.periods = periods
        self.series = series
        self.table = table
        self.language = language
        self.format = format
    }

    /// The sum of a period.
    private func total(_ period: Int) -> Int64 {
        series.reduce(0) { $0.addingSaturated($1.values.dropFirst(period).first ?? 0) }
    }

    package var isEmpty: Bool { periods.indices.allSatisfy { total($0) == 0 } }

    package var html: HTML {
        """
        <section class="panel" id="\(id)"><header><h2>\(title)</h2></header><div class="chart"><p>\(summary)</p>
        \(drawing)
        <p class="axis" aria-hidden="true"><bdi>\(periods.first ?? "")</bdi><bdi>\(periods.last ?? "")</bdi></p>
        \(series.count > 1 ? legend : nil)
        \(values)</div></section>
        """
    }

    // MARK: Parts

    /// Units of the drawing, which is stretched to its place.
    private static let columnWidth = 10
    private static let height = 1000

    private var drawing: HTML {
        let largest = max(1, periods.indices.map(total).max() ?? 1)
        var tops = Array(repeating: Int64(0), count: periods.count)
        var shapes: [HTML] = []
        for series in series {
            var path = ""
            for (period, value) in series.values.enumerated() where period < periods.count && value > 0 {
                let bottom = Self.height - Self.scaled(tops[period], largest)
                tops[period] = tops[period].addingSaturated(value)
                // A value that is small beside the others is seen, too.
                let top = min(Self.height - Self.scaled(tops[period], largest), bottom - 8)
                path += "M\(left(of: period) + 1) \(bottom)V\(max(0, top))h8V\(bottom)z"
            }
            if !path.isEmpty { shapes.append(#"<path class="\#(series.tone.rawValue)" d="\#(path)" />"#) }
        }
        let hits = periods.indices.compactMap { period -> HTML? in
            guard total(period) > 0 else { return nil }
            let values = series.map { format($0.values.dropFirst(period).first ?? 0) }.joined(separator: " · ")
            let title: HTML = "<title>\(periods[period]): \(values)</title>"
            return #"<path d="M\#(String(left(of: period))) 0h10v1000h-10z">\#(title)</path>"#
        }
        let width = String(max(1, periods.count) * Self.columnWidth)
        let lines = (0..<4).map { "M0 \($0 * 250 + 1)H\(width)" }.joined()
        return """
            <svg viewBox="0 0 \(width) 1000" preserveAspectRatio="none" role="img" aria-label="\(title): \(summary)">\
            <path class="grid" d="\(lines)M0 999H\(width)" />\(shapes)<g class="hits">\(hits)</g></svg>
            """
    }

    /// Time runs in the direction of the language.
    private func left(of period: Int) -> Int {
        (language.isRightToLeft ? periods.count - 1 - period : period) * Self.columnWidth
    }

    private static func scaled(_ value: Int64, _ largest: Int64) -> Int {
        Int((Double(value) / Double(largest) * Double(height)).rounded())
    }

    private var legend: HTML {
        let items = series.map { series -> HTML in
            """
            <li><svg viewBox="0 0 10 10" aria-hidden="true"><path class="\(series.tone.rawValue)" d="M0 0h10v10H0z" /></svg>\
            \(series.label)</li>
            """
        }
        return #"<ul class="legend">\#(items)</ul>"#
    }

    /// Periods without any value are left out.
    private var values: HTML {
        switch table {
        case .behind(let address, let label):
            return "<p><a href=\"\(address)#\(id)\">\(label)</a></p>"
        case .shown(let period):
            let rows = periods.indices.filter { total($0) > 0 }.map { index -> [HTML] in
                ["<bdi>\(periods[index])</bdi>"]
                    + series.map { "\(format($0.values.dropFirst(index).first ?? 0))" as HTML }
            }
            return .table(title, [period] + series.map(\.label), rows)
        }
    }
}

extension HTML {
    /// A table that scrolls by itself where it is wider than the page.
    package static func table(_ label: String, _ titles: [String], _ rows: [[HTML]]) -> HTML {
        let head = titles.map { #"<th scope="col">\#($0)</th>"# as HTML }
        let body = rows.map { cells -> HTML in "<tr>\(cells.map { "<td>\($0)</td>" as HTML })</tr>" }
        return """
            <div class="panel scroll" role="region" aria-label="\(label)" tabindex="0"><table><thead><tr>\(head)</tr></thead>\
            <tbody>\(body)</tbody></table></div>
            """
    }

    /// A figure with its name above it, and what is known about it below.
    package static func tile(_ name: String, _ figure: String, about: String? = nil) -> HTML {
        let details = about.map { "<dd>\($0)</dd>" as HTML }
        return #"<div><dt>\#(name)</dt><dd class="figure"><bdi>\#(figure)</bdi></dd>\#(details)</div>"#
    }

    package static func tiles(_ tiles: [HTML]) -> HTML { #"<dl class="tiles">\#(tiles)</dl>"# }
}
