/// A button or a link that looks like one. A page has one primary button.
package enum PageButtonKind: String, Sendable {
    case primary, plain, quiet
    /// What destroys.
    case danger
}

/// How a note speaks. The color only underlines its words.
package enum PageTone: String, Sendable {
    case neutral, good, warn, bad

    fileprivate var icon: PageIcon {
        switch self {
        case .neutral, .warn, .bad: .alert
        case .good: .check
        }
    }
}

/// The parts of pages. Each is a piece of HTML, which pages put together.
extension HTML {
    /// - Parameters:
    ///   - item: what the form sends if this button submits it.
    ///   - description: the ID of an element with the consequence.
    ///   - waitsForScript: a script of the page does what the button says, and enables it when it is ready: a press before
    ///     would be lost.
    package static func button(
        _ label: String, _ kind: PageButtonKind = .primary, icon: PageIcon? = nil, id: String? = nil,
        item: (name: String, value: String)? = nil, describedBy description: String? = nil, submits: Bool = true,
        waitsForScript: Bool = false, isWide: Bool = false
    ) -> HTML {
        let type = submits && !waitsForScript ? "submit" : "button"
        let disabled = attribute("disabled", waitsForScript ? "disabled" : nil)
        let wide = isWide ? " wide" : ""
        return """
            <button type="\(type)" class="\(kind.rawValue)\(wide)"\(attribute("id", id))\(attribute("name", item?.name))\
            \(attribute("value", item?.value))\(attribute("aria-describedby", description))\(disabled)>\(icon?.html)\(label)</button>
            """
    }

    /// A link that looks like a button: it leads to another page and changes nothing.
    package static func buttonLink(
        to address: String, _ label: String, _ kind: PageButtonKind = .primary, icon: PageIcon? = nil,
        id: String? = nil, isHidden: Bool = false, isWide: Bool = false
    ) -> HTML {
        """
        <a class="button \(kind.rawValue)\(isWide ? " wide" : "")"\(attribute("id", id)) href="\(address)" rel="noreferrer"\
        \(attribute("hidden", isHidden ? "hidden" : nil))>\(icon?.html)\(label)</a>
        """
    }

    package static func note(_ tone: PageTone, _ content: HTML, id: String? = nil) -> HTML {
        #"<div class="note \#(tone.rawValue)"\#(attribute("id", id))>\#(tone.icon.html)<div>\#(content)</div></div>"#
    }

    /// What was refused: it is read at once and takes the focus, so that the next key leads to the field.
    /// - Parameter field: the ID of the field to which the sentence leads.
    package static func errorSummary(_ content: HTML, field: String? = nil) -> HTML {
        let content: HTML = field.map { "<a href=\"#\($0)\">\(content)</a>" } ?? content
        return """
            <div class="note bad" id="alarm" role="alert" tabindex="-1" autofocus="autofocus">\(PageIcon.alert.html)\
            <div>\(content)</div></div>
            """
    }

    /// Where a script writes what was refused. Empty, it is not seen.
    package static func alarm(_ content: HTML = "", isHidden: Bool = false) -> HTML {
        #"<p id="alarm" class="error" role="alert"\#(attribute("hidden", isHidden ? "hidden" : nil))>\#(content)</p>"#
    }

    package static func noScript(_ sentence: String) -> HTML {
        #"<noscript><div class="note bad" role="alert">\#(PageIcon.alert.html)<div>\#(sentence)</div></div></noscript>"#
    }

    package static func badge(_ text: String, _ tone: PageTone = .neutral) -> HTML {
        #"<span class="badge \#(tone.rawValue)">\#(text)</span>"#
    }

    /// A value of a user, of either script direction on a page of either.
    package static func value(_ text: String) -> HTML { #"<p class="value"><bdi>\#(text)</bdi></p>"# }

    package static func hidden(_ items: [(name: String, value: String)]) -> HTML {
        "\(items.map { #"<input type="hidden" name="\#($0.name)" value="\#($0.value)" />"# as HTML })"
    }

    /// A list under a sentence that names it.
    package static func list(_ heading: String, id: String, _ items: [HTML]) -> HTML {
        #"<p id="\#(id)">\#(heading)</p><ul aria-labelledby="\#(id)">\#(items.map { "<li>\($0)</li>" as HTML })</ul>"#
    }

    /// A group of rows under a heading, with an action beside it.
    package static func panel(_ heading: String, action: HTML? = nil, _ rows: [HTML]) -> HTML {
        #"<section class="panel"><header><h2>\#(heading)</h2>\#(action)</header>\#(rows)</section>"#
    }

    /// One thing: what it is, what is known about it, and what can be done with it.
    package static func row(
        _ icon: PageIcon? = nil, _ name: HTML, about: HTML? = nil, actions: [HTML] = []
    ) -> HTML {
        let sign = icon.map { #"<span class="sign">\#($0.html)</span>"# as HTML }
        let details = about.map { "<span>\($0)</span>" as HTML }
        return
            #"<div class="row">\#(sign)<div class="what"><strong>\#(name)</strong>\#(details)</div>\#(actions)</div>"#
    }

    /// An attribute with a space before it. Empty for nil.
    static func attribute(_ name: String, _ value: String?) -> HTML? {
        value.map { #" \#(name)="\#($0)""# }
    }
}

/// A field with its label above it, and its hint and its error below it.
package struct PageField: Sendable {
    package enum Kind: String, Sendable { case text, email, password, tel, search }

    package var id: String
    /// The name of the item that the form sends; the ID by default.
    package var name: String?
    package var label: String
    package var kind = Kind.text
    package var value: String?
    /// The tokens of the HTML standard: password managers read them.
    package var autocomplete: String
    package var inputMode: String?
    /// What the key of a keyboard on a screen says.
    package var enterKeyHint: String?
    package var maximumLength: Int?
    package var isRequired = false
    package var hint: HTML?
    package var error: String?
    /// Of elements elsewhere that describe the field.
    package var descriptions: [String] = []
    package var isInvalid = false
    package var takesFocus = false
    /// A name of an account: the keyboard neither corrects nor capitalizes it.
    package var isVerbatim = false
    /// A short code, in large digits.
    package var isCode = false

    package init(id: String, label: String, autocomplete: String = "off") {
        self.id = id
        self.label = label
        self.autocomplete = autocomplete
    }

    /// - Parameter change: sets what differs from a field of text.
    package init(id: String, label: String, autocomplete: String = "off", _ change: (inout PageField) -> Void) {
        self.init(id: id, label: label, autocomplete: autocomplete)
        change(&self)
    }

    /// Six digits or another code. A pasted one may contain blanks, which the server ignores.
    package static func code(id: String, label: String, digits: Bool = true) -> PageField {
        PageField(id: id, label: label, autocomplete: "one-time-code") { field in
            field.inputMode = digits ? "numeric" : nil
            field.enterKeyHint = "done"
            field.isRequired = true
            field.isVerbatim = true
            field.isCode = true
            field.maximumLength = 64
        }
    }

    /// A number with its country code.
    /// - Parameter change: sets what differs from a required field.
    package static func phoneNumber(
        id: String, label: String, _ change: (inout PageField) -> Void
    ) -> PageField {
        PageField(id: id, label: label, autocomplete: "tel") { field in
            field.kind = .tel
            field.inputMode = "tel"
            field.maximumLength = 64
            field.isRequired = true
            field.isVerbatim = true
            change(&field)
        }
    }

    package var html: HTML {
        let descriptions =
            (error == nil ? [] : ["\(id)-error"]) + (hint == nil ? [] : ["\(id)-hint"]) + self.descriptions
        let isInvalid = isInvalid || error != nil
        let verbatim: HTML? = isVerbatim ? #" autocapitalize="none" spellcheck="false" autocorrect="off""# : nil
        return """
            <div class="field">
            <label for="\(id)">\(label)</label>
            <input id="\(id)" name="\(name ?? id)" type="\(kind.rawValue)"\(HTML.attribute("value", value)) \
            autocomplete="\(autocomplete)"\(HTML.attribute("class", isCode ? "code" : nil))\
            \(HTML.attribute("inputmode", inputMode))\(HTML.attribute("enterkeyhint", enterKeyHint))\
            \(HTML.attribute("maxlength", maximumLength.map { String($0) }))\(verbatim)\
            \(HTML.attribute("required", isRequired ? "required" : nil))\
            \(HTML.attribute("autofocus", takesFocus ? "autofocus" : nil))\
            \(HTML.attribute("aria-invalid", isInvalid ? "true" : nil))\
            \(HTML.attribute("aria-describedby", descriptions.isEmpty ? nil : descriptions.joined(separator: " "))) />
            \(error.map { #"<p class="error" id="\#(id)-error">\#($0)</p>"# })
            \(hint.map { #"<p class="hint" id="\#(id)-hint">\#($0)</p>"# })
            </div>
            """
    }
}
