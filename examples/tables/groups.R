# groups.R - the groups in a file of bipe-score --documents, and a picture
d <- read.csv("documents.csv", na.strings = "",
              colClasses = c(id = "character", group = "character"))
d$group <- addNA(d$group) # a group may have the empty name
pdf("groups.pdf")
boxplot(bits_per_byte ~ group, d)
sums <- aggregate(cbind(tokens, bytes, nll_sum) ~ group, d, sum)
sums$bits_per_byte <- round(sums$nll_sum / log(2) / sums$bytes, 2)
print(sums[c("group", "tokens", "bits_per_byte")])
