extension PageTexts.ConsoleUsers {
    static let german = Self(
        unverified: "Adresse nicht bestätigt",
        withoutFactor: "Ohne zweiten Faktor",
        ofProvider: "Mit einem Konto bei einem Anbieter",
        createdSince: "Angelegt seit einem Tag",
        moreFilters: "Anbieter und Tag",
        sortHint: "Für die Liste aller Benutzer. Suche und Filter haben eine eigene Reihenfolge.",
        provider: "ID des Anbieters",
        providerMissing: "Nennen Sie den Anbieter, zum Beispiel google.com.",
        since: "Angelegt seit (UTC)",
        dayMalformed: "Schreiben Sie den Tag als Jahr, Monat und Tag: 2026-11-01.",
        chosen: "Wählen",
        choose: { "\($0) wählen" },
        choosing:
            "Für die Benutzer, die Sie wählen, oder, wenn Sie keinen wählen, für alle, die diese Liste findet. Die nächste Seite sagt, welche es sind und was daraus folgt.",
        disableAll: .init(
            title: "Diese Konten sperren",
            body:
                "Die Benutzer können sich nicht anmelden, und Tokens werden abgelehnt. Die Sitzungen gehen weiter, wenn die Konten wieder frei sind."
        ),
        enableAll: .init(
            title: "Diese Konten freigeben",
            body: "Die Benutzer können sich wieder anmelden, und frühere Sitzungen gehen weiter."
        ),
        endSessionsOfAll: .init(
            title: "Sitzungen dieser Benutzer beenden",
            body: "Die Benutzer werden auf jedem Gerät abgemeldet, und jedes Token wird ungültig."
        ),
        sendVerificationToAll: .init(
            title: "Bestätigungs-E-Mails senden",
            body:
                "Jeder Benutzer bekommt eine E-Mail mit einem Link, der die Adresse bestätigt. Die Grenzen für E-Mails gelten."
        ),
        deleteAll: .init(
            title: "Diese Konten löschen",
            body:
                "Die Konten, ihre Sitzungen, Faktoren und Passkeys werden gelöscht. Das lässt sich nicht rückgängig machen."
        ),
        nothingToDo: "Es gibt nichts zu tun: Es bleibt kein Benutzer, den dies ändern würde.",
        countOfUsers: { "\($0) Benutzer" },
        skipped: {
            $0 == 1
                ? "\($0) weiterer ist schon so und bleibt, wie er ist."
                : "\($0) weitere sind schon so und bleiben, wie sie sind."
        },
        atLeastUsers: { "Mindestens \($0) Benutzer" },
        uncounted: "Es passen mehr Benutzer, als hier gezählt sind. Dies geht durch alle.",
        cutOff:
            "Auf die Suche nach einem Text passen mehr Benutzer, als sie findet. Dies gilt für die hier gezählten: Geben Sie mehr ein, um die anderen zu erreichen.",
        progress: { done, total in
            total.map { "\(done) von \($0) erledigt" } ?? "\(done) erledigt"
        },
        lookAgain: "Diese Seite sieht alle zwei Sekunden nach. Sie können sie verlassen: Die Arbeit geht weiter.",
        lookNow: "Jetzt nachsehen",
        stop: "Anhalten",
        complete: "Das ist vollständig erledigt.",
        stopped: "Das wurde angehalten. Was erledigt ist, bleibt. Wiederholen Sie es für den Rest.",
        roleEnded:
            "Das hat angehalten: Ihre Sitzung ist beendet, oder Ihre Rolle erlaubt es nicht mehr. Was erledigt ist, bleibt.",
        failed: "Der Rest wurde nicht erledigt. Der Grund:",
        failures: { $0 == 1 ? "\($0) Konto wurde nicht geändert:" : "\($0) Konten wurden nicht geändert:" },
        unknownWork: .init(
            title: "Diese Arbeit ist hier nicht bekannt",
            body:
                "Sie ist lange beendet, oder der Prozess wurde inzwischen neu gestartet. Das Protokoll sagt, was geschehen ist. Sie können sie gefahrlos wiederholen: Was erledigt ist, geschieht nicht noch einmal."
        ),
        busy: .init(
            title: "Es ist zu viel in Arbeit",
            body:
                "Mehr lange Arbeit ist gleichzeitig nicht möglich. Warten Sie, bis etwas davon erledigt ist, und versuchen Sie es noch einmal."
        ),
        importUsers: "Benutzer importieren",
        importBody:
            "Zuerst wird die Datei geprüft, und nichts ändert sich. Die nächste Seite sagt, was der Import tun würde.",
        file: "Datei mit Benutzern",
        fileHint:
            "Was firebase auth:export schreibt (JSON oder CSV), oder JSON Lines von latchkey users export; der Name endet auf .json, .csv oder .jsonl. Höchstens 1 MB. Für eine größere oder versiegelte Datei gibt es latchkey users import.",
        fileMissing: "Wählen Sie eine Datei, die nicht leer ist.",
        hashParameters: "Hash-Parameter",
        hashParametersHint:
            "Wie die Firebase-Konsole sie zeigt, wenn die Datei deren Passwort-Hashes hat. Sonst leer lassen.",
        hashParametersMalformed: "Diese Hash-Parameter sind nicht lesbar.",
        hashParametersMissing: "Die Datei hat Passwort-Hashes ohne Algorithmus. Ergänzen Sie die Hash-Parameter.",
        keepExisting: "Vorhandene Konten behalten",
        check: "Datei prüfen",
        existingAreKept: "Vorhandene Konten bleiben, wie sie sind.",
        existingAreReplaced:
            "Vorhandene Konten werden ersetzt und ihre Benutzer abgemeldet. Das lässt sich nicht rückgängig machen.",
        unreadableFrom: { "Die Datei ist ab Eintrag \($0) nicht lesbar. Was davor steht, ist erledigt." },
        exportUsers: "Benutzer exportieren",
        exportBody:
            "Die Datei hat einen Benutzer in jeder Zeile, in JSON, ohne Passwörter. Claims enthält sie nur für Administratoren.",
        exportProfiles: "Benutzer herunterladen",
        exportHashesBody:
            "Mit Passwort-Hashes und ihren Schlüsseln kann eine andere Installation die Passwörter prüfen. Wer die Datei hat, kann Passwörter ausprobieren. Das Herunterladen steht im Protokoll.",
        exportHashes: "Mit Passwort-Hashes herunterladen",
        exportCutOff:
            "Ist die Datei nicht vollständig, meldet der Browser einen fehlgeschlagenen Download. Beginnen Sie dann noch einmal.",
        codesBlocked: { "Codes von \($0) werden nach zu vielen falschen bis \($1) abgelehnt." },
        codesBlockedForGood: {
            "Codes von \($0) werden nach zu vielen falschen dauerhaft abgelehnt. Entfernen Sie den Faktor; der Benutzer kann ihn wieder hinzufügen."
        },
        codesUnknown: "Ob falsche Codes die Anmeldung hindern, ist nicht bekannt: Ein Dienst ist nicht erreichbar.")
}
